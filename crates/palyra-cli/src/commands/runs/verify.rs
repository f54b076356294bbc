//! `palyra runs receipt --verify`: verifies a receipt file, with a key if one is given.

use crate::error::{CliError, sentence};
use crate::files::read_file;
use crate::output::{Remark, Reply, facts, moment};
use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_state::journal::CheckpointKey;
use palyra_state::{RunReceiptError, VerifiedReceipt, verify_receipt};
use serde::Serialize;
use std::path::Path;

/// Maximum size of a receipt file in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

#[derive(Serialize)]
pub(super) struct Verified {
    #[serde(flatten)]
    receipt: VerifiedReceipt,
    /// True if the key is the one given on the command line.
    key_expected: bool,
}

pub(super) fn execute(file: &Path, key: Option<&str>) -> Result<Verified, CliError> {
    let expected = key.map(CheckpointKey::parse).transpose();
    let expected = expected.map_err(|error| CliError::usage(format!("`--key` is not a key: {error}")))?;
    let bytes = read_file(file, MAX_FILE_BYTES)?;
    let receipt = verify_receipt(&bytes, expected.as_ref()).map_err(|error| refused(&error))?;
    Ok(Verified { receipt, key_expected: expected.is_some() })
}

fn refused(error: &RunReceiptError) -> CliError {
    let hint = match error {
        RunReceiptError::NotAReceipt { .. } => "a receipt is what `palyra runs receipt RUN` prints",
        RunReceiptError::OtherKey { .. } => "ask the sender for the key of the machine",
        _ => "it was modified, or was never in that journal: ask for it again",
    };
    CliError::Problem(Box::new(Problem::new(ErrorCode::BadReceipt, sentence(error)).hint(hint)))
}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.runs.verify/v1";

    fn data(&self) -> String {
        let receipt = &self.receipt;
        let detail = |name: &str| {
            let value = receipt.details.get(name).and_then(|value| value.as_str());
            value.unwrap_or_default().to_owned()
        };
        facts(&[
            ("run", receipt.run_id.clone()),
            ("status", if receipt.completed { "completed" } else { "failed" }.to_owned()),
            ("error", detail("error")),
            ("tool", receipt.tool_id.clone()),
            ("skill", receipt.skill_id.clone()),
            ("release", detail("payload")),
            ("principal", receipt.principal.clone()),
            ("when", moment(receipt.at_ms)),
            ("input", detail("input_sha256")),
            ("output", detail("output_sha256")),
            ("tape", detail("tape_sha256")),
            ("leaf", format!("{} of {}", receipt.sequence, receipt.tree_size)),
            ("signed by", receipt.key.clone()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        if self.key_expected {
            vec![Remark::Note("the receipt is valid and signed by the given key".into())]
        } else {
            vec![Remark::Warning(
                "the receipt is valid for this key; add `--key KEY` to require the key you expect".into(),
            )]
        }
    }
}

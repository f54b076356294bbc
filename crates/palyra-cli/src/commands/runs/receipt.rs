//! `palyra runs receipt`: created by the owner of the state, verified anywhere.

use super::verify;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Printer, Remark, Reply, facts};
use clap::Args;
use palyra_api::runs::RunReceipt;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra runs receipt latest --out run.receipt.json
  palyra runs receipt --verify run.receipt.json";

/// Print the receipt of a run, or verify one offline
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ReceiptArgs {
    /// Run id, a unique prefix of it, or `latest`
    #[arg(required_unless_present = "verify", conflicts_with = "verify")]
    run: Option<String>,

    /// Write to this new file instead
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    out: Option<PathBuf>,

    /// Verify the receipt in this file; needs no state root and no daemon
    #[arg(long, value_name = "FILE")]
    verify: Option<PathBuf>,

    /// Required signing key, as `origin+hash+key`
    #[arg(long, value_name = "KEY", requires = "verify")]
    key: Option<String>,
}

#[derive(Serialize)]
struct Kept {
    run_id: String,
    file: String,
    key: String,
}

pub(super) fn run(args: &ReceiptArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    if let Some(file) = &args.verify {
        return printer.finish(verify::execute(file, args.key.as_deref()));
    }
    let run_id = args.run.as_deref().unwrap_or_default();
    let receipt = client::ask(globals, "runs receipt", async |client| {
        client.receipt(&client::run_id(&client, run_id).await?).await
    });
    let receipt = receipt.and_then(|receipt| Ok((text(&receipt)?, receipt)));
    match (receipt, &args.out) {
        (Ok((text, _)), None) => printer.data(text.as_bytes()),
        (receipt, Some(file)) => {
            printer.finish(receipt.and_then(|(text, receipt)| keep(receipt, file, &text)))
        }
        (Err(error), None) => printer.fail(&error.into(), &[]),
    }
}

/// Formats the receipt; it has the same form in every output format, because it is a document.
fn text(receipt: &RunReceipt) -> Result<String, CliError> {
    let text = serde_json::to_string_pretty(receipt);
    text.map(|text| text + "\n").map_err(|error| CliError::Setup(error.to_string()))
}

fn keep(receipt: RunReceipt, file: &Path, text: &str) -> Result<Kept, CliError> {
    NewFile::prepare(file)?.write(text.as_bytes())?;
    Ok(Kept { run_id: receipt.run_id, file: file.display().to_string(), key: receipt.key })
}

impl Reply for Kept {
    const SCHEMA: &'static str = "palyra.runs.receipt/v1";

    fn data(&self) -> String {
        facts(&[("run", self.run_id.clone()), ("file", self.file.clone()), ("key", self.key.clone())])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("palyra runs receipt --verify {} --key '{}'", self.file, self.key))]
    }
}

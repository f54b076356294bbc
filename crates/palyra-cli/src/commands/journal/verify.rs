//! `palyra journal verify`: checks every leaf, every stored hash and every checkpoint.

use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::files::read_file;
use crate::output::{Printer, Remark, Reply, counted, facts};
use crate::progress::with_progress;
use clap::Args;
use palyra_api::journal::{VerifiedJournal, VerifyRequest};
use palyra_daemon::ToProblem;
use palyra_state::journal::{CheckpointError, MAX_NOTE_BYTES};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra journal checkpoint > yesterday.txt
  palyra journal verify --against yesterday.txt";

const MORE: &str = "\
A checkpoint stored on another machine proves that no event before it was changed or removed since, even if
the whole state root was replaced by an old copy.";

/// Verify that no journal event was changed or removed
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct VerifyArgs {
    /// File with an earlier checkpoint of this journal
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Verified(VerifiedJournal);

pub(super) fn execute(args: &VerifyArgs, globals: &Globals, printer: &Printer) -> Result<Verified, CliError> {
    let request = VerifyRequest { against: args.against.as_deref().map(read_note).transpose()? };
    let verify = async |client: AnyClient| {
        let verified = client.verify_journal(&request);
        with_progress("verifying the journal", printer.terminal(), verified).await
    };
    client::ask(globals, "journal verify", verify).map(Verified)
}

fn read_note(path: &Path) -> Result<String, CliError> {
    let bytes = read_file(path, MAX_NOTE_BYTES as u64)?;
    let refused = |error: CheckpointError| CliError::Problem(Box::new(error.to_problem()));
    String::from_utf8(bytes).map_err(|_| refused(CheckpointError::BadForm { reason: "UTF-8 is expected" }))
}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.journal.verify/v1";

    fn data(&self) -> String {
        let report = &self.0;
        let archived = (report.archived > 0).then(|| format!("{} by their hashes", report.archived));
        let against = self.0.against.map(|size| format!("the checkpoint at {size} is part of it"));
        facts(&[
            ("journal", "intact".to_owned()),
            ("events", report.head.size.to_string()),
            ("root", report.head.root.to_string()),
            (
                "checked",
                format!(
                    "{}, {}",
                    counted(report.events_checked, "event"),
                    counted(report.checkpoints_checked, "checkpoint")
                ),
            ),
            (
                "records",
                format!(
                    "{} runs, {} totals and {} messages match the journal",
                    report.runs_checked, report.totals_checked, report.messages_checked
                ),
            ),
            ("archived", archived.unwrap_or_default()),
            ("against", against.unwrap_or_default()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.against {
            Some(_) => Vec::new(),
            None => vec![Remark::Next(
                "store a checkpoint on another machine to verify against later: `palyra journal checkpoint`"
                    .into(),
            )],
        }
    }
}

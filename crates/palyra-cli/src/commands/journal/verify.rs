//! `palyra journal verify`: every leaf, every stored hash and every checkpoint.

use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::files::read_file;
use crate::output::{Printer, Remark, Reply, facts};
use crate::progress::with_progress_blocking;
use crate::state;
use clap::Args;
use palyra_common::env_vars::PALYRA_JOURNAL_VERIFY_AGAINST;
use palyra_state::State;
use palyra_state::journal::{Checkpoint, CheckpointError, MAX_NOTE_BYTES, VerifyReport, VerifyScope};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra journal checkpoint > yesterday.txt
  palyra journal verify --against yesterday.txt";

const MORE: &str = "\
A checkpoint that was kept somewhere else proves that nothing before it was taken out or changed
since, even if the whole state root was replaced by an old copy.";

/// Check that the journal is the one that was written.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct VerifyArgs {
    /// A checkpoint of this journal that was kept elsewhere
    #[arg(long, value_name = "FILE")]
    #[arg(env = PALYRA_JOURNAL_VERIFY_AGAINST, hide_env_values = true)]
    against: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Verified {
    #[serde(flatten)]
    report: VerifyReport,
    /// The size of the checkpoint it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<u64>,
}

pub(super) fn execute(args: &VerifyArgs, globals: &Globals, printer: &Printer) -> Result<Verified, CliError> {
    let note = args.against.as_deref().map(read_note).transpose()?;
    let state = state::open(globals, "journal verify")?;
    let against = note.map(|note| open_note(&note, &state)).transpose()?;
    let verify = || state.journal().verify(VerifyScope::Everything, against.as_ref());
    let report = with_progress_blocking("verifying the journal", printer.terminal(), verify)?;
    match report.is_intact() {
        true => Ok(Verified { report, against: against.map(|checkpoint| checkpoint.head().size) }),
        false => Err(CliError::JournalDamaged(Box::new(report))),
    }
}

fn read_note(path: &Path) -> Result<String, CliError> {
    let bytes = read_file(path, MAX_NOTE_BYTES as u64)?;
    let not_text = || FileRefusal::from(CheckpointError::BadForm { reason: "UTF-8 is expected" });
    String::from_utf8(bytes).map_err(|_| not_text().into())
}

fn open_note(note: &str, state: &State) -> Result<Checkpoint, CliError> {
    let none = || CliError::Setup("the journal has no key".into());
    let key = state.journal().key().ok_or_else(none)?;
    Ok(Checkpoint::open(note, key).map_err(FileRefusal::from)?)
}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.journal.verify/v1";

    fn data(&self) -> String {
        let report = &self.report;
        let archived = (report.archived > 0).then(|| format!("{} by their hashes", report.archived));
        let against = self.against.map(|size| format!("the checkpoint at {size} is part of it"));
        facts(&[
            ("journal", "intact".to_owned()),
            ("events", report.head.size.to_string()),
            ("root", report.head.root.to_string()),
            (
                "checked",
                format!("{} events, {} checkpoints", report.events_checked, report.checkpoints_checked),
            ),
            ("archived", archived.unwrap_or_default()),
            ("against", against.unwrap_or_default()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        match self.against {
            Some(_) => Vec::new(),
            None => vec![Remark::Next(
                "keep a checkpoint elsewhere, with `palyra journal checkpoint`, to compare with later".into(),
            )],
        }
    }
}

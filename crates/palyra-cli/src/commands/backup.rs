//! `palyra backup`: the whole state root in one file.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, byte_count, facts, when};
use crate::state;
use clap::Args;
use palyra_daemon::ToProblem;
use palyra_state::journal::TreeHead;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra backup /srv/backups/palyra.tar";

const MORE: &str = "\
The state is stopped cleanly first, so its journal ends with a signed checkpoint. Stop a daemon before.";

/// Copy the state root into one new file.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct BackupArgs {
    /// The file to write; it must not exist
    file: PathBuf,
}

#[derive(Serialize)]
struct BackedUp {
    file: String,
    created_ms: u64,
    files: usize,
    bytes: u64,
    device_key: String,
    head: TreeHead,
    checkpoint: String,
}

/// Carries the command out.
pub(crate) fn run(args: &BackupArgs, globals: &Globals) -> ExitCode {
    Printer::new(globals, false).finish(execute(args, globals))
}

fn execute(args: &BackupArgs, globals: &Globals) -> Result<BackedUp, CliError> {
    let state = state::open(globals, "backup")?;
    let manifest = state.backup(&args.file).map_err(|error| CliError::from(error.to_problem()))?;
    Ok(BackedUp {
        file: args.file.display().to_string(),
        created_ms: manifest.created_ms,
        files: manifest.files.len(),
        bytes: manifest.total_bytes(),
        device_key: manifest.device_key,
        head: manifest.head,
        checkpoint: manifest.checkpoint,
    })
}

impl Reply for BackedUp {
    const SCHEMA: &'static str = "palyra.backup/v1";

    fn data(&self) -> String {
        facts(&[
            ("backup", self.file.clone()),
            ("made", when(self.created_ms)),
            ("files", format!("{}, {}", self.files, byte_count(self.bytes))),
            ("journal", format!("{} events", self.head.size)),
            ("device key", self.device_key.clone()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let held = match self.device_key.contains("keyring") {
            true => Remark::Warning(
                "the device key is in a keyring, not in the backup: without it nobody opens this".into(),
            ),
            false => {
                Remark::Warning("the device key is in the backup: keep it where nobody else reads".into())
            }
        };
        vec![held, Remark::Next(format!("put it back with `palyra restore {}`", self.file))]
    }
}

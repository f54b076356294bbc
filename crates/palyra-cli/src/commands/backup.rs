//! `palyra backup`: the whole state root in one file.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Printer, Remark, Reply, byte_count, facts, when};
use bytes::Bytes;
use clap::Args;
use http_body_util::BodyExt;
use palyra_api::TransportError;
use palyra_api::client::{ApiBody, ClientError};
use palyra_daemon::ToProblem;
use palyra_state::journal::TreeHead;
use palyra_state::{BackupError, check_backup};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::sync::mpsc;

/// Parts that may wait to be written.
const WAITING_CHUNKS: usize = 4;

const EXAMPLE: &str = "\
Example:
  palyra backup /srv/backups/palyra.tar";

const MORE: &str = "\
It is the state of one moment, and its journal ends there with a signed checkpoint. A daemon that
runs goes on meanwhile: it makes the copy, for its owner and on its own machine only.";

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
    let to_error = |error: BackupError| CliError::from(error.to_problem());
    if fs::symlink_metadata(&args.file).is_ok() {
        return Err(to_error(BackupError::Exists(args.file.clone())));
    }
    // Half a copy, or one that changed on its way, never has the name: what came is read back first.
    let new = NewFile::prepare(&args.file)?;
    let file = new.unfinished()?;
    let receive = async |client: client::AnyClient| {
        let body = client.backup().await?;
        receive(body, file, &args.file).await
    };
    client::ask(globals, "backup", receive)?;
    let manifest = check_backup(new.unfinished_path()).map_err(to_error)?;
    new.keep()?;
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

/// Writes what comes, beside the threads that receive.
async fn receive(mut body: ApiBody, mut file: File, to: &Path) -> Result<(), CliError> {
    let (sender, mut chunks) = mpsc::channel::<Bytes>(WAITING_CHUNKS);
    let writing = tokio::task::spawn_blocking(move || -> io::Result<()> {
        while let Some(chunk) = chunks.blocking_recv() {
            file.write_all(&chunk)?;
        }
        file.sync_all()
    });
    let mut broken = None;
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => {
                // A writer that is gone says why below.
                if let Ok(chunk) = frame.into_data()
                    && sender.send(chunk).await.is_err()
                {
                    break;
                }
            }
            Err(error) => {
                broken = Some(ClientError::Transport(TransportError::Broken(error.to_string())));
                break;
            }
        }
    }
    drop(sender);
    let written = writing.await.map_err(io::Error::other).flatten();
    let written =
        written.map_err(|error| CliError::from(BackupError::file("written", to)(error).to_problem()));
    broken.map_or(written, |error| Err(error.into()))
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

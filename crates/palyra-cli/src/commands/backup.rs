//! `palyra backup`: the whole state root in one file.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Printer, Remark, Reply, byte_count, counted, facts, moment};
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

/// Maximum number of parts that wait to be written.
const WAITING_CHUNKS: usize = 4;

const EXAMPLE: &str = "\
Example:
  palyra backup /srv/backups/palyra.tar";

const MORE: &str = "\
The backup is a consistent snapshot whose journal ends with a signed checkpoint. A running daemon makes the
backup itself and keeps serving; only its owner on the same machine can request one.";

/// Back up the state root into a new file
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct BackupArgs {
    /// File to write; it must not exist
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

pub(crate) fn run(args: &BackupArgs, globals: &Globals) -> ExitCode {
    Printer::new(globals, false).finish(execute(args, globals))
}

fn execute(args: &BackupArgs, globals: &Globals) -> Result<BackedUp, CliError> {
    let to_error = |error: BackupError| CliError::from(error.to_problem());
    if fs::symlink_metadata(&args.file).is_ok() {
        return Err(to_error(BackupError::Exists(args.file.clone())));
    }
    // The file gets its name only after its content was read back and verified.
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

/// Receives a body and writes it to a file; the writes run in a separate thread.
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
                // If the writer ended, its error is reported below.
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
            ("created", moment(self.created_ms)),
            ("files", format!("{}, {}", self.files, byte_count(self.bytes))),
            ("journal", counted(self.head.size, "event")),
            ("device key", self.device_key.clone()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let held = if self.device_key.contains("keyring") {
            Remark::Warning(
                "the device key is in the keyring and not in the backup; the backup cannot be opened without it".into(),
            )
        } else {
            Remark::Warning(
                "the device key is in the backup: store the file where only you can read it".into(),
            )
        };
        vec![held, Remark::Next(format!("restore it with `palyra restore {}`", self.file))]
    }
}

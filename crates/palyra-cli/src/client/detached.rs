//! A daemon that a command starts and that outlives the command.

use super::daemon_answers;
use crate::cli::Globals;
use crate::commands::daemon::run::Started;
use crate::error::CliError;
use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_daemon::serve::log_path;
use palyra_state::StateRoot;
use serde::Deserialize;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Idle time after which a daemon that a command started on its own stops.
const IDLE_EXIT: &str = "10m";
/// Maximum bytes of the daemon's ready line, and of its error.
const MAX_REPLY_BYTES: u64 = 64 << 10;

/// Starts a daemon for this state root that stops when it is idle, and waits until it listens.
pub(super) fn start_temporary(globals: &Globals, root: &StateRoot) -> Result<(), CliError> {
    let mut arguments: Vec<OsString> = [
        "daemon",
        "run",
        "--listen",
        "127.0.0.1:0",
        "--idle-exit",
        IDLE_EXIT,
        "--log",
        "error",
        "--log-file",
    ]
    .map(Into::into)
    .into();
    arguments.push(log_path(root).into());
    start(globals, root, arguments).map(drop)
}

/// Starts this program with other arguments, and waits until it listens.
///
/// `None` if another command started a daemon at the same time.
pub(crate) fn start(
    globals: &Globals,
    root: &StateRoot,
    arguments: Vec<OsString>,
) -> Result<Option<Started>, CliError> {
    let failed = || CliError::io("cannot start a daemon");
    let mut errors = tempfile::tempfile().map_err(failed())?;
    let mut command = command(globals, root, arguments).map_err(failed())?;
    let mut child = command.stderr(errors.try_clone().map_err(failed())?).spawn().map_err(failed())?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        // The daemon prints a line once it listens; an end without a line means that it failed.
        BufReader::new(stdout.take(MAX_REPLY_BYTES)).read_line(&mut line).map_err(failed())?;
    }
    match serde_json::from_str(&line) {
        Ok(started) => Ok(Some(started)),
        Err(_) if daemon_answers(root) => Ok(None),
        Err(_) => {
            let _ = child.wait();
            Err(reason(&mut errors))
        }
    }
}

/// Returns the command to start this program in its own process group, so that Ctrl-C in this terminal does not stop
/// it.
fn command(globals: &Globals, root: &StateRoot, arguments: Vec<OsString>) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(arguments)
        .args(["--output", "json", "--no-input", "--lock-wait", &globals.lock_wait.to_string()])
        .arg("--state-root")
        .arg(root.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0);
    if let Some(path) = &globals.passphrase_file {
        command.arg("--passphrase-file").arg(path);
    }
    Ok(command)
}

/// Returns the error that the daemon reported before it exited.
fn reason(errors: &mut File) -> CliError {
    #[derive(Deserialize)]
    struct Document {
        error: Body,
    }
    #[derive(Deserialize)]
    struct Body {
        code: ErrorCode,
        message: String,
        hints: Vec<String>,
        details: Value,
    }
    let mut text = String::new();
    let read = errors.rewind().and_then(|()| errors.take(MAX_REPLY_BYTES).read_to_string(&mut text));
    let document = read.ok().and_then(|_| serde_json::from_str::<Document>(text.lines().last()?).ok());
    let problem = match document {
        Some(Document { error }) => {
            Problem::new(error.code, error.message).hints(error.hints).details(error.details)
        }
        None => Problem::new(ErrorCode::Unreachable, "the daemon exited right after it started")
            .hint("see why with `palyra daemon run`"),
    };
    CliError::Problem(Box::new(problem))
}

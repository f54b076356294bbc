//! The connection of every command to the daemon.
//!
//! If a daemon runs, commands use its socket in the state root. Otherwise this process opens the state for one command
//! and calls the same router without a socket. `--url` selects a daemon on another machine.

mod connection;
mod detached;
mod ids;

pub(crate) use connection::daemon_answers;
pub(crate) use detached::start as start_daemon;
pub(crate) use ids::{LATEST, approval_id, dead_letter, run_id};

use crate::cli::Globals;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use connection::Connection;
use palyra_api::{Client, Transport};
use palyra_daemon::AppConfig;
use std::sync::Arc;

/// The client over any connection.
pub(crate) type AnyClient = Client<Arc<dyn Transport>>;

/// Sends a request to the daemon; `command` names this process in "state in use" errors of others.
pub(crate) fn ask<T, E, F>(
    globals: &Globals,
    command: &str,
    work: impl FnOnce(AnyClient) -> F,
) -> Result<T, CliError>
where
    F: Future<Output = Result<T, E>>,
    E: Into<CliError>,
{
    ask_with(globals, command, None, work)
}

/// Runs `work` like [`ask`], with these sandbox settings if this process opens the state.
pub(crate) fn ask_with<T, E, F>(
    globals: &Globals,
    command: &str,
    sandbox: Option<AppConfig>,
    work: impl FnOnce(AnyClient) -> F,
) -> Result<T, CliError>
where
    F: Future<Output = Result<T, E>>,
    E: Into<CliError>,
{
    speak(|| Connection::open(globals, command, sandbox), work)
}

/// Runs `work` that outlives one request: the daemon is always another process, so that other commands can use it too.
pub(crate) fn stay<T, E, F>(globals: &Globals, work: impl FnOnce(AnyClient) -> F) -> Result<T, CliError>
where
    F: Future<Output = Result<T, E>>,
    E: Into<CliError>,
{
    speak(|| Connection::lasting(globals), work)
}

fn speak<T, E, F>(
    open: impl FnOnce() -> Result<Connection, CliError>,
    work: impl FnOnce(AnyClient) -> F,
) -> Result<T, CliError>
where
    F: Future<Output = Result<T, E>>,
    E: Into<CliError>,
{
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let threads = threads.worker_threads(2).enable_all().build();
    let threads = threads.map_err(CliError::io("cannot start threads"))?;
    let connection = open()?;
    let answer = threads.block_on(async {
        let interrupt = Interrupt::listen().map_err(CliError::io("cannot install signal handlers"))?;
        let client = Client::new(connection.transport());
        let asked = interrupt.or(work(client)).await;
        let closed = connection.close().await;
        let answer = asked.ok_or(CliError::Interrupted)?.map_err(Into::into)?;
        closed.map(|()| answer)
    });
    // A name lookup in progress must not delay the end of the process.
    threads.shutdown_background();
    answer
}

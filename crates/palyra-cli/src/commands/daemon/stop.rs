//! `palyra daemon stop`.

use super::status::must_run;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_api::daemon::Stopping;
use palyra_common::fs::Directory;
use palyra_state::{StateRoot, lock};
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra daemon stop";

const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum wait for the daemon to release the state root.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stop the daemon after running calls have ended
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct StopArgs {}

#[derive(Serialize)]
pub(super) struct Stopped {
    pid: u32,
    calls_under_way: u64,
    /// Whether the daemon had released the state root when this command ended.
    gone: bool,
}

pub(super) fn execute(globals: &Globals) -> Result<Stopped, CliError> {
    must_run(globals)?;
    let root = state::root(globals)?;
    let local = globals.url.is_none();
    let stop = async |client: client::AnyClient| {
        let stopping = client.stop().await?;
        let gone = local && tokio::time::timeout(PATIENCE, released(&root, stopping.pid)).await.is_ok();
        Ok::<(Stopping, bool), palyra_api::ClientError>((stopping, gone))
    };
    let (stopping, gone) = client::ask(globals, "daemon stop", stop)?;
    Ok(Stopped { pid: stopping.pid, calls_under_way: stopping.calls_under_way, gone })
}

/// Waits until the daemon releases the lock of the state root, which is its last action.
///
/// A closed listener is not enough, because receipts are written after it.
async fn released(root: &StateRoot, pid: u32) {
    let mut polls = tokio::time::interval(POLL_INTERVAL);
    loop {
        polls.tick().await;
        let held = Directory::open_private(root.path()).map(|root| lock::held_by(&root, pid));
        if matches!(held, Ok(Ok(false))) {
            return;
        }
    }
}

impl Reply for Stopped {
    const SCHEMA: &'static str = "palyra.daemon.stop/v1";

    fn data(&self) -> String {
        facts(&[
            ("process", self.pid.to_string()),
            ("stopped", if self.gone { "yes" } else { "not yet" }.to_owned()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        match self.calls_under_way {
            0 => Vec::new(),
            calls => vec![Remark::Note(format!("{calls} calls were in progress"))],
        }
    }
}

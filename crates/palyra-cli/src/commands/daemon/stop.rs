//! `palyra daemon stop`.

use super::status::must_run;
use crate::cli::Globals;
use crate::client::{self, daemon_answers};
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_api::daemon::Stopping;
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra daemon stop";

/// How often to look whether it is gone.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long to look.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stop the daemon once the calls under way have ended.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct StopArgs {}

#[derive(Serialize)]
pub(super) struct Stopped {
    pid: u32,
    calls_under_way: u64,
    /// Whether it had let go of the state root when this command ended.
    gone: bool,
}

pub(super) fn execute(globals: &Globals) -> Result<Stopped, CliError> {
    must_run(globals)?;
    let root = state::root(globals)?;
    let local = globals.url.is_none();
    let stop = async |client: client::AnyClient| {
        let told = client.stop().await?;
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let gone = async {
            while daemon_answers(&root) {
                looks.tick().await;
            }
        };
        let gone = local && tokio::time::timeout(PATIENCE, gone).await.is_ok();
        Ok::<(Stopping, bool), palyra_api::ClientError>((told, gone))
    };
    let (told, gone) = client::ask(globals, "daemon stop", stop)?;
    Ok(Stopped { pid: told.pid, calls_under_way: told.calls_under_way, gone })
}

impl Reply for Stopped {
    const SCHEMA: &'static str = "palyra.daemon.stop/v1";

    fn data(&self) -> String {
        facts(&[
            ("process", self.pid.to_string()),
            ("gone", if self.gone { "yes" } else { "not yet" }.to_owned()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        match self.calls_under_way {
            0 => Vec::new(),
            calls => vec![Remark::Note(format!("{calls} calls were under way"))],
        }
    }
}

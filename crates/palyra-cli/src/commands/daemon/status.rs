//! `palyra daemon status`.

use crate::cli::Globals;
use crate::client::{self, daemon_answers};
use crate::error::CliError;
use crate::output::{Reply, duration_text, facts};
use crate::state;
use clap::Args;
use palyra_api::Problem;
use palyra_api::health::Health;
use palyra_common::ErrorCode;
use palyra_daemon::Endpoint;
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra daemon status";

/// Show whether a daemon is running and where it listens
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct StatusArgs {}

#[derive(Serialize)]
pub(super) struct Status {
    #[serde(flatten)]
    health: Health,
    url: Option<String>,
    /// Where it listens for gRPC; not known of a daemon elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    grpc_url: Option<String>,
}

pub(super) fn execute(globals: &Globals) -> Result<Status, CliError> {
    must_run(globals)?;
    let health = client::ask(globals, "daemon status", async |client| client.health().await)?;
    let (url, grpc_url) = match &globals.url {
        Some(url) => (Some(url.clone()), None),
        None => match Endpoint::read(&state::root(globals)?).ok().flatten() {
            Some(endpoint) => (Some(endpoint.url), endpoint.grpc_url),
            None => (None, None),
        },
    };
    Ok(Status { health, url, grpc_url })
}

/// Fails if no daemon runs, instead of opening the state in this process.
pub(super) fn must_run(globals: &Globals) -> Result<(), CliError> {
    if globals.url.is_some() {
        return Ok(());
    }
    let root = state::root(globals)?;
    if daemon_answers(&root) {
        Ok(())
    } else {
        let message = format!("no daemon is running for `{}`", root.path().display());
        let problem = Problem::new(ErrorCode::Unreachable, message).hint("start one with `palyra up`");
        Err(CliError::Problem(Box::new(problem)))
    }
}

impl Reply for Status {
    const SCHEMA: &'static str = "palyra.daemon.status/v1";

    fn data(&self) -> String {
        let health = &self.health;
        let mut rows =
            vec![("status", health.status.clone()), ("address", self.url.clone().unwrap_or_default())];
        rows.extend(self.grpc_url.clone().map(|url| ("grpc", url)));
        rows.extend([
            ("state root", health.state_root.clone()),
            ("version", health.version.clone()),
            ("process", health.pid.to_string()),
            ("up for", duration_text(Duration::from_millis(health.uptime_ms))),
            ("events", health.journal_size.to_string()),
        ]);
        facts(&rows)
    }
}

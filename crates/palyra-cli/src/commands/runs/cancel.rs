//! `palyra runs cancel`.

use super::show::known;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::runs::Run;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra runs cancel run_0123456789abcdef0123";

/// Cancel a run in progress
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct CancelArgs {
    /// Run id, a unique prefix of it, or `latest`
    run: String,
}

#[derive(Serialize)]
pub(super) struct Cancelled(Run);

pub(super) fn execute(args: &CancelArgs, globals: &Globals) -> Result<Cancelled, CliError> {
    let cancelled = client::ask(globals, "runs cancel", async |client| {
        client.cancel_run(&client::run_id(&client, &args.run).await?).await
    });
    cancelled.map(Cancelled)
}

impl Reply for Cancelled {
    const SCHEMA: &'static str = "palyra.runs.cancel/v1";

    fn data(&self) -> String {
        facts(&known(&self.0))
    }
}

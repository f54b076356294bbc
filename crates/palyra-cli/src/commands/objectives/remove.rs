//! `palyra objectives remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::routines::RemovedName;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra objectives remove inbox";

/// Remove an objective that no routine uses
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Name of the objective
    name: String,
}

#[derive(Serialize)]
pub(super) struct Removed(RemovedName);

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    client::ask(globals, "objectives remove", async |client| client.remove_objective(&args.name).await)
        .map(Removed)
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.objectives.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.0.name.clone())])
    }
}

//! `palyra objectives show`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::objectives::Objective;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra objectives show inbox";

/// Show an objective with its status and use
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Name of the objective
    name: String,
}

#[derive(Serialize)]
pub(super) struct Shown(Objective);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "objectives show", async |client| client.objective(&args.name).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.objectives.show/v1";

    fn data(&self) -> String {
        view::shown(&self.0)
    }
}

//! `palyra plugins profile show`.

use super::shown;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::plugins::Profile;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra plugins profile show acme.notes";

/// Show the capability profile of a skill
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Shown(Profile);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "plugins profile show", async |client| client.profile(&args.skill).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.plugins.profile.show/v1";

    fn data(&self) -> String {
        shown(&self.0)
    }
}

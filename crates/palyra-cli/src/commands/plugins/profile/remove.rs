//! `palyra plugins profile remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::plugins::Removed;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra plugins profile remove acme.notes";

/// Remove the profile; consent alone then decides
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Taken(Removed);

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Taken, CliError> {
    let removed = client::ask(globals, "plugins profile remove", async |client| {
        client.remove_profile(&args.skill).await
    });
    removed.map(Taken)
}

impl Reply for Taken {
    const SCHEMA: &'static str = "palyra.plugins.profile.remove/v1";

    fn data(&self) -> String {
        if self.0.removed {
            format!("removed the profile of {}\n", self.0.skill_id)
        } else {
            format!("{} had no profile\n", self.0.skill_id)
        }
    }
}

//! `palyra channels remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use crate::terminal::confirm;
use clap::Args;
use palyra_api::channels::Channel;
use palyra_common::ErrorCode;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra channels remove alerts";

/// Remove a channel and its messages
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Name of the channel
    channel: String,
}

#[derive(Serialize)]
pub(super) struct Removed {
    removed: Channel,
}

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let name = &args.channel;
    let known = client::ask(globals, "channels remove", async |client| client.channel(name).await);
    // One that does not exist fails without a question.
    if !matches!(&known, Err(CliError::Problem(problem)) if problem.code == ErrorCode::NotFound) {
        confirm(globals, &format!("Remove the channel `{name}` and its messages?"))?;
    }
    let remove = async |client: client::AnyClient| client.remove_channel(name).await;
    client::ask(globals, "channels remove", remove).map(|removed| Removed { removed })
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.channels.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.removed.name.clone())])
    }
}

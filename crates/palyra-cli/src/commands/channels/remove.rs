//! `palyra channels remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::channels::Channel;
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
    let remove = async |client: client::AnyClient| client.remove_channel(&args.channel).await;
    client::ask(globals, "channels remove", remove).map(|removed| Removed { removed })
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.channels.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.removed.name.clone())])
    }
}

//! `palyra channels show`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::channels::Channel;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra channels show alerts";

/// Show a channel and its dead letters
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Name of the channel
    channel: String,
}

#[derive(Serialize)]
pub(super) struct Shown(Channel);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "channels show", async |client| client.channel(&args.channel).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.channels.show/v1";

    fn data(&self) -> String {
        view::channel(&self.0)
    }
}

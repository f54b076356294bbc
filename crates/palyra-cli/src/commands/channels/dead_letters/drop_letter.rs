//! `palyra channels dead-letters drop`.

use super::became;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::channels::ChannelDeadLetter;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra channels dead-letters drop alerts 3";

/// Give a message up for good.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DropArgs {
    /// The channel
    channel: String,

    /// The number of the letter
    letter: u64,
}

#[derive(Serialize)]
pub(super) struct Dropped {
    dropped: ChannelDeadLetter,
}

pub(super) fn execute(args: &DropArgs, globals: &Globals) -> Result<Dropped, CliError> {
    let forget =
        async |client: client::AnyClient| client.drop_channel_letter(&args.channel, args.letter).await;
    client::ask(globals, "channels dead-letters drop", forget).map(|dropped| Dropped { dropped })
}

impl Reply for Dropped {
    const SCHEMA: &'static str = "palyra.channels.dead_letters.drop/v1";

    fn data(&self) -> String {
        became("dropped", &self.dropped)
    }
}

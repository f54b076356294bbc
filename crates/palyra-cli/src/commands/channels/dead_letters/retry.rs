//! `palyra channels dead-letters retry`.

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
  palyra channels dead-letters retry alerts 3";

/// Send a message once more; the letter goes when it is taken.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RetryArgs {
    /// The channel
    channel: String,

    /// The number of the letter
    letter: u64,
}

#[derive(Serialize)]
pub(super) struct Retried {
    delivered: ChannelDeadLetter,
}

pub(super) fn execute(args: &RetryArgs, globals: &Globals) -> Result<Retried, CliError> {
    let retry =
        async |client: client::AnyClient| client.retry_channel_letter(&args.channel, args.letter).await;
    client::ask(globals, "channels dead-letters retry", retry).map(|delivered| Retried { delivered })
}

impl Reply for Retried {
    const SCHEMA: &'static str = "palyra.channels.dead_letters.retry/v1";

    fn data(&self) -> String {
        became("delivered", &self.delivered)
    }
}

//! `palyra channels dead-letters list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::channels::{ChannelDeadLetter, ChannelDeadLetterList};
use palyra_common::env_vars::PALYRA_CHANNELS_DEAD_LETTERS_LIST_LIMIT;
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra channels dead-letters list alerts";

/// Show messages a channel gave up, newest first.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// The channel
    channel: String,

    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    #[arg(env = PALYRA_CHANNELS_DEAD_LETTERS_LIST_LIMIT, hide_env_values = true)]
    limit: u16,
}

#[derive(Serialize)]
pub(super) struct Listed(ChannelDeadLetterList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let list =
        async |client: client::AnyClient| client.channel_dead_letters(&args.channel, Some(args.limit)).await;
    client::ask(globals, "channels dead-letters list", list).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.channels.dead_letters.list/v1";

    fn data(&self) -> String {
        let row = |letter: &ChannelDeadLetter| {
            [
                letter.letter.to_string(),
                letter.message.to_string(),
                letter.attempts.to_string(),
                when(letter.at_ms),
                escape_untrusted(&letter.reason),
            ]
        };
        let rows: Vec<_> = self.0.dead_letters.iter().map(row).collect();
        table(["letter", "message", "tried", "given up", "because"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.dead_letters.first() {
            None => vec![Remark::Note("there is none".into())],
            Some(letter) => vec![Remark::Next(format!(
                "palyra channels dead-letters retry {} {}",
                letter.channel, letter.letter
            ))],
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.dead_letters.iter().map(|letter| json!(letter)).collect())
    }
}

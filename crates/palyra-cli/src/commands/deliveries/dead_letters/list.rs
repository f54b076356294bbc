//! `palyra deliveries dead-letters list`.

use super::kind;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::deliveries::{DeliveryDeadLetter, DeliveryDeadLetterList};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra deliveries dead-letters list
  palyra deliveries dead-letters list --channel alerts";

/// List dead letters, newest first
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// Only dead letters of this hook binding
    #[arg(long, value_name = "NAME", conflicts_with = "channel")]
    hook: Option<String>,

    /// Only dead letters of this channel
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,

    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

#[derive(Serialize)]
pub(super) struct Listed(DeliveryDeadLetterList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let (hook, channel) = (args.hook.as_deref(), args.channel.as_deref());
    let list =
        async |client: client::AnyClient| client.delivery_dead_letters(hook, channel, Some(args.limit)).await;
    client::ask(globals, "deliveries dead-letters list", list).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.deliveries.dead_letters.list/v1";

    fn data(&self) -> String {
        let row = |letter: &DeliveryDeadLetter| {
            [
                letter.letter.to_string(),
                kind(letter.kind).to_owned(),
                letter.lane.clone(),
                format!("{} {}", letter.event.as_deref().unwrap_or("message"), letter.item),
                letter.attempts.to_string(),
                when(letter.at_ms),
                escape_untrusted(&letter.reason),
            ]
        };
        let rows: Vec<_> = self.0.dead_letters.iter().map(row).collect();
        table(["letter", "kind", "name", "item", "attempts", "failed", "reason"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.dead_letters.first() {
            None => vec![Remark::Note("no dead letters".into())],
            Some(letter) => {
                vec![Remark::Next(format!("palyra deliveries dead-letters retry {}", letter.letter))]
            }
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.dead_letters.iter().map(|letter| json!(letter)).collect())
    }
}

//! `palyra hooks dead-letters list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::hooks::{DeadLetter, DeadLetterList};
use palyra_common::env_vars::{PALYRA_HOOKS_DEAD_LETTERS_LIST_BINDING, PALYRA_HOOKS_DEAD_LETTERS_LIST_LIMIT};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra hooks dead-letters list
  palyra hooks dead-letters list --binding tell-me";

/// Show events that observers could not take, oldest first.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// Only those of this binding
    #[arg(long, value_name = "ID")]
    #[arg(env = PALYRA_HOOKS_DEAD_LETTERS_LIST_BINDING, hide_env_values = true)]
    binding: Option<String>,

    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    #[arg(env = PALYRA_HOOKS_DEAD_LETTERS_LIST_LIMIT, hide_env_values = true)]
    limit: u16,
}

#[derive(Serialize)]
pub(super) struct Listed(DeadLetterList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let list = async |client: client::AnyClient| {
        client.dead_letters(args.binding.as_deref(), Some(args.limit)).await
    };
    client::ask(globals, "hooks dead-letters list", list).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.hooks.dead_letters.list/v1";

    fn data(&self) -> String {
        let row = |letter: &DeadLetter| {
            [
                letter.letter.to_string(),
                letter.binding.clone(),
                letter.event.clone(),
                letter.sequence.to_string(),
                letter.attempts.to_string(),
                when(letter.at_ms),
                escape_untrusted(&letter.reason),
            ]
        };
        let rows: Vec<_> = self.0.dead_letters.iter().map(row).collect();
        table(["letter", "binding", "event", "sequence", "tried", "given up", "because"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.dead_letters.first() {
            None => vec![Remark::Note("there is no dead letter".into())],
            Some(letter) => {
                vec![Remark::Next(format!("palyra hooks dead-letters retry {}", letter.letter))]
            }
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.dead_letters.iter().map(|letter| json!(letter)).collect())
    }
}

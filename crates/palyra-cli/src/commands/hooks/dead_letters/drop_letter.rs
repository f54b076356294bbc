//! `palyra hooks dead-letters drop`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::hooks::DeadLetter;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra hooks dead-letters drop 3";

/// Give an event up for good.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DropArgs {
    /// The number of the letter
    letter: u64,
}

#[derive(Serialize)]
pub(super) struct Dropped {
    dropped: DeadLetter,
}

pub(super) fn execute(args: &DropArgs, globals: &Globals) -> Result<Dropped, CliError> {
    let forget = async |client: client::AnyClient| client.drop_dead_letter(args.letter).await;
    client::ask(globals, "hooks dead-letters drop", forget).map(|dropped| Dropped { dropped })
}

impl Reply for Dropped {
    const SCHEMA: &'static str = "palyra.hooks.dead_letters.drop/v1";

    fn data(&self) -> String {
        facts(&[("dropped", self.dropped.letter.to_string()), ("binding", self.dropped.binding.clone())])
    }
}

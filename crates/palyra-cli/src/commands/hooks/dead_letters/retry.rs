//! `palyra hooks dead-letters retry`.

use super::super::test::answer;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::hooks::HookTest;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra hooks dead-letters retry 3";

/// Tell an observer of an event once more; the letter goes when it takes it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RetryArgs {
    /// The number of the letter
    letter: u64,
}

#[derive(Serialize)]
pub(super) struct Retried(HookTest);

pub(super) fn execute(args: &RetryArgs, globals: &Globals) -> Result<Retried, CliError> {
    let retry = async |client: client::AnyClient| client.retry_dead_letter(args.letter).await;
    client::ask(globals, "hooks dead-letters retry", retry).map(Retried)
}

impl Reply for Retried {
    const SCHEMA: &'static str = "palyra.hooks.dead_letters.retry/v1";

    fn data(&self) -> String {
        answer(&self.0)
    }
}

//! `palyra deliveries dead-letters retry`.

use super::super::super::hooks;
use super::done;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::deliveries::DeliveryRetry;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra deliveries dead-letters retry 3";

/// Retry a dead letter, and delete it if that succeeds
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RetryArgs {
    /// Number of the dead letter, or `latest`
    letter: String,
}

#[derive(Serialize)]
pub(super) struct Retried(DeliveryRetry);

pub(super) fn execute(args: &RetryArgs, globals: &Globals) -> Result<Retried, CliError> {
    let retry = async |client: client::AnyClient| {
        client.retry_delivery(client::dead_letter(&client, &args.letter).await?).await
    };
    client::ask(globals, "deliveries dead-letters retry", retry).map(Retried)
}

impl Reply for Retried {
    const SCHEMA: &'static str = "palyra.deliveries.dead_letters.retry/v1";

    fn data(&self) -> String {
        let mut text = done("delivered", &self.0.delivered);
        text.push_str(&self.0.hook.as_ref().map(hooks::answer).unwrap_or_default());
        text
    }
}

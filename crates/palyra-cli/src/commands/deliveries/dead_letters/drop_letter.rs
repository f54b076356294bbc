//! `palyra deliveries dead-letters drop`.

use super::done;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::deliveries::DeliveryDeadLetter;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra deliveries dead-letters drop 3";

/// Delete a dead letter
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DropArgs {
    /// Number of the dead letter, or `latest`
    letter: String,
}

#[derive(Serialize)]
pub(super) struct Dropped {
    dropped: DeliveryDeadLetter,
}

pub(super) fn execute(args: &DropArgs, globals: &Globals) -> Result<Dropped, CliError> {
    let forget = async |client: client::AnyClient| {
        client.drop_delivery(client::dead_letter(&client, &args.letter).await?).await
    };
    client::ask(globals, "deliveries dead-letters drop", forget).map(|dropped| Dropped { dropped })
}

impl Reply for Dropped {
    const SCHEMA: &'static str = "palyra.deliveries.dead_letters.drop/v1";

    fn data(&self) -> String {
        done("dropped", &self.dropped)
    }
}

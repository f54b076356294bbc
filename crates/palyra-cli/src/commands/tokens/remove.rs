//! `palyra tokens remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::tokens::Token;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra tokens remove editor";

/// Revoke a token at once
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Name of the token
    name: String,
}

#[derive(Serialize)]
pub(super) struct Removed {
    removed: Token,
}

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let remove = async |client: client::AnyClient| client.remove_token(&args.name).await;
    client::ask(globals, "tokens remove", remove).map(|removed| Removed { removed })
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.tokens.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.removed.name.clone())])
    }
}

//! `palyra vault remove`.

use super::reference;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Reply, facts};
use crate::terminal::confirm;
use clap::Args;
use palyra_api::vault::RemovedSecret;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra vault remove global/github_token";

/// Remove a secret permanently
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Scope and name, for example `global/github_token`
    #[arg(value_name = "SCOPE/KEY")]
    reference: String,
}

#[derive(Serialize)]
pub(super) struct Removed(RemovedSecret);

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let secret = reference::read(&args.reference)?;
    // A name that does not exist fails before the prompt; a token that may not list names gets the prompt.
    let known = client::ask(globals, "vault remove", async |client| client.secrets().await);
    if known.map_or(true, |known| known.secrets.iter().any(|known| known.secret == secret.to_string())) {
        confirm(globals, &format!("Remove the secret `{secret}`?"))?;
    }
    let remove = async |client: AnyClient| client.remove_secret(&secret).await;
    client::ask(globals, "vault remove", remove).map(Removed)
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.vault.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.0.secret.clone())])
    }
}

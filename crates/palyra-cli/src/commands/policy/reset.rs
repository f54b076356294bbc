//! `palyra policy reset`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use crate::terminal::confirm;
use clap::Args;
use palyra_api::policy::PolicyReset;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra policy reset";

/// Restore the default access policy
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ResetArgs {}

#[derive(Serialize)]
pub(super) struct Back(PolicyReset);

pub(super) fn execute(globals: &Globals) -> Result<Back, CliError> {
    // A token that may not read the policy is asked, whatever the policy is.
    let current = client::ask(globals, "policy reset", async |client| client.policy().await);
    if current.map_or(true, |policy| !policy.default) {
        confirm(globals, "Replace the access policy with the default one?")?;
    }
    client::ask(globals, "policy reset", async |client| client.reset_policy().await).map(Back)
}

impl Reply for Back {
    const SCHEMA: &'static str = "palyra.policy.reset/v1";

    fn data(&self) -> String {
        if self.0.removed {
            "restored the default policy\n".into()
        } else {
            "the default policy is already in force\n".into()
        }
    }
}

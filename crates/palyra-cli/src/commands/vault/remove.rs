//! `palyra vault remove`.

use super::reference;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Reply, facts};
use crate::state;
use crate::terminal::confirm;
use clap::Args;
use palyra_state::journal::{EventKind, NewEvent};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra vault remove global/github_token";

/// Take a secret away; nothing brings it back.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Whose it is and its name
    #[arg(value_name = "SCOPE/KEY")]
    reference: String,
}

#[derive(Serialize)]
pub(super) struct Removed {
    secret: String,
}

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let secret = reference::read(&args.reference)?;
    confirm(globals, &format!("remove the secret `{secret}`?"))?;
    let state = state::open(globals, "vault remove")?;
    if !state.vault().secrets().remove(&secret)? {
        let known = state.vault().secrets().list()?.secrets;
        let known = known.iter().map(|info| info.reference.to_string()).collect();
        return Err(CliError::NotFound { kind: "secret", name: secret.to_string(), known });
    }
    state::record(
        &state,
        NewEvent::new(EventKind::VaultRemoved, state::now_ms()).subject(secret.to_string()),
    )?;
    state::finish(state)?;
    Ok(Removed { secret: secret.to_string() })
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.vault.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.secret.clone())])
    }
}

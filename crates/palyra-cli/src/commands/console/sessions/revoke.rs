//! `palyra console sessions revoke`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::console::ConsoleSession;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra console sessions revoke cs_0123456789abcdef";

/// Revoke a browser session and close its streams
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RevokeArgs {
    /// Session id, as shown by `palyra console sessions list`
    session: String,
}

#[derive(Serialize)]
pub(super) struct Revoked {
    revoked: ConsoleSession,
}

pub(super) fn execute(args: &RevokeArgs, globals: &Globals) -> Result<Revoked, CliError> {
    let revoke = async |client: client::AnyClient| client.revoke_console_session(&args.session).await;
    client::stay(globals, revoke).map(|revoked| Revoked { revoked })
}

impl Reply for Revoked {
    const SCHEMA: &'static str = "palyra.console.sessions.revoke/v1";

    fn data(&self) -> String {
        facts(&[("revoked", self.revoked.id.clone()), ("browser", self.revoked.user_agent.clone())])
    }
}

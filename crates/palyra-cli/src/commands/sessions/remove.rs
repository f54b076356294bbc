//! `palyra sessions remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::terminal::confirm_between;
use clap::Args;
use palyra_api::sessions::Session;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra sessions remove ses_0123456789abcdef0123456789abcdef --yes";

/// Remove a session and its history
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Session id
    session: String,
}

#[derive(Serialize)]
pub(super) struct Removed(Session);

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    client::ask(globals, "sessions remove", async |client| {
        let session = client.session(&args.session).await?;
        let title = palyra_common::redact::escape_untrusted(&session.title);
        confirm_between(globals, format!("Remove the session `{title}` with everything in it?")).await?;
        Ok::<_, CliError>(client.remove_session(&args.session).await?)
    })
    .map(Removed)
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.sessions.remove/v1";

    fn data(&self) -> String {
        format!("{}\n", self.0.session_id)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note("its receipts stay in the journal".into())]
    }
}

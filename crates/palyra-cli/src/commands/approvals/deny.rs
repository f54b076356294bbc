//! `palyra approvals deny`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::approvals::{Approval, DenyRequest};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra approvals deny latest --reason 'not this host'";

/// Deny a pending call
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DenyArgs {
    /// Approval id, a unique prefix of it, or `latest`
    approval: String,

    /// Reason, recorded in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Denied(Approval);

pub(super) fn execute(args: &DenyArgs, globals: &Globals) -> Result<Denied, CliError> {
    let owner_present = Terminal::of_person(globals).is_some();
    let request = DenyRequest { reason: args.reason.clone(), owner_present };
    let decided = client::ask(globals, "approvals deny", async |client| {
        client.deny(&client::approval_id(&client, &args.approval).await?, &request).await
    });
    decided.map(Denied)
}

impl Reply for Denied {
    const SCHEMA: &'static str = "palyra.approvals.deny/v1";

    fn data(&self) -> String {
        view::approval(&self.0)
    }
}

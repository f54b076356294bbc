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
  palyra approvals deny apr_0123456789abcdef0123 --reason 'not this host'";

/// Refuse a call that waits.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DenyArgs {
    /// The approval
    approval: String,

    /// What there is to say about it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Denied(Approval);

pub(super) fn execute(args: &DenyArgs, globals: &Globals) -> Result<Denied, CliError> {
    let owner_present = Terminal::of_person(globals).is_some();
    let request = DenyRequest { reason: args.reason.clone(), owner_present };
    let decided =
        client::ask(globals, "approvals deny", async |client| client.deny(&args.approval, &request).await);
    decided.map(Denied)
}

impl Reply for Denied {
    const SCHEMA: &'static str = "palyra.approvals.deny/v1";

    fn data(&self) -> String {
        view::approval(&self.0)
    }
}

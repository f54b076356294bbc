//! `palyra approvals show`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::approvals::{Approval, ApprovalStatus};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra approvals show apr_0123456789abcdef0123";

/// Show what a call wants to do, and what became of it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// The approval
    approval: String,
}

#[derive(Serialize)]
pub(super) struct Shown(Approval);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "approvals show", async |client| client.approval(&args.approval).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.approvals.show/v1";

    fn data(&self) -> String {
        view::approval(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        let id = &self.0.approval_id;
        match self.0.status {
            ApprovalStatus::Pending => vec![
                Remark::Next(format!("palyra approvals approve {id}")),
                Remark::Next(format!("palyra approvals deny {id}")),
            ],
            _ => Vec::new(),
        }
    }
}

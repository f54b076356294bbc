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
  palyra approvals show apr_0123456789abcdef0123
  palyra approvals show apr_0123456789abcdef0123 --whole";

/// Show what a call wants to do, and what became of it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// The approval
    approval: String,

    /// Show the whole arguments, however long they are
    #[arg(long)]
    whole: bool,
}

#[derive(Serialize)]
pub(super) struct Shown(Approval);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    let shown = client::ask(globals, "approvals show", async |client| match args.whole {
        true => client.whole_approval(&args.approval).await,
        false => client.approval(&args.approval).await,
    });
    shown.map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.approvals.show/v1";

    fn data(&self) -> String {
        view::approval(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        let id = &self.0.approval_id;
        match self.0.status {
            ApprovalStatus::Pending if self.0.arguments_omitted > 0 => {
                vec![Remark::Next(format!("palyra approvals show {id} --whole"))]
            }
            ApprovalStatus::Pending => vec![
                Remark::Next(format!("palyra approvals approve {id}")),
                Remark::Next(format!("palyra approvals deny {id}")),
            ],
            _ => Vec::new(),
        }
    }
}

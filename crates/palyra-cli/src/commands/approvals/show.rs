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
  palyra approvals show latest
  palyra approvals show apr_0123456789abcdef0123 --whole";

/// Show a call that needs approval, and the decision
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Approval id, a unique prefix of it, or `latest`
    approval: String,

    /// Show the complete arguments
    #[arg(long)]
    whole: bool,
}

#[derive(Serialize)]
pub(super) struct Shown(Approval);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    let shown = client::ask(globals, "approvals show", async |client| {
        if args.whole {
            client.whole_approval(&client::approval_id(&client, &args.approval).await?).await
        } else {
            client.approval(&client::approval_id(&client, &args.approval).await?).await
        }
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

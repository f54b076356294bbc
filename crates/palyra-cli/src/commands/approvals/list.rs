//! `palyra approvals list`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::{Args, ValueEnum};
use palyra_api::approvals::{Approval, ApprovalList, ApprovalQuery, ApprovalStatus};
use serde::Serialize;
use serde_json::{Value, json};

/// Maximum bytes of arguments on a line; `approvals show` has more.
const MAX_ARGUMENTS_BYTES: usize = 60;

const EXAMPLE: &str = "\
Example:
  palyra approvals list
  palyra approvals list --status all --limit 20";

/// List pending approvals, or decided ones
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// Status to list
    #[arg(long, value_enum, default_value_t, value_name = "STATUS")]
    status: Which,

    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,

    /// Only approvals older than this id, to continue an earlier list
    #[arg(long, value_name = "ID")]
    before: Option<String>,
}

/// Which approvals are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Which {
    #[default]
    Pending,
    Approved,
    Used,
    Denied,
    Expired,
    All,
}

impl Which {
    fn status(self) -> Option<ApprovalStatus> {
        Some(match self {
            Self::Pending => ApprovalStatus::Pending,
            Self::Approved => ApprovalStatus::Approved,
            Self::Used => ApprovalStatus::Used,
            Self::Denied => ApprovalStatus::Denied,
            Self::Expired => ApprovalStatus::Expired,
            Self::All => return None,
        })
    }
}

#[derive(Serialize)]
pub(super) struct Listed(ApprovalList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let query =
        ApprovalQuery { status: args.status.status(), before: args.before.clone(), limit: Some(args.limit) };
    client::ask(globals, "approvals list", async |client| client.approvals(&query).await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.approvals.list/v1";

    fn data(&self) -> String {
        let row = |approval: &Approval| {
            [
                approval.approval_id.clone(),
                approval.status.wire_name().to_owned(),
                approval.tool_id.clone(),
                approval.principal.clone(),
                when(approval.expires_ms),
                view::arguments(approval, MAX_ARGUMENTS_BYTES),
            ]
        };
        let rows: Vec<_> = self.0.approvals.iter().map(row).collect();
        table(["approval", "status", "tool", "requested for", "expires", "arguments"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        match self.0.approvals.first() {
            None => {
                remarks.push(Remark::Note("no approvals match; `--status all` includes decided ones".into()));
            }
            Some(first) if first.status == ApprovalStatus::Pending => {
                remarks.push(Remark::Next(format!("palyra approvals show {}", first.approval_id)));
            }
            Some(_) => {}
        }
        let more = self.0.next.as_ref().map(|id| Remark::Next(format!("more results: add `--before {id}`")));
        remarks.into_iter().chain(more).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.approvals.iter().map(|approval| json!(approval)).collect())
    }
}

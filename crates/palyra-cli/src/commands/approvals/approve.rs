//! `palyra approvals approve`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply};
use crate::terminal::{Terminal, confirm};
use clap::{Args, ValueEnum};
use palyra_api::approvals::{Approval, ApprovalScope, ApproveRequest};
use palyra_skills::Sha256Digest;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra approvals approve apr_0123456789abcdef0123
  palyra approvals approve apr_0123456789abcdef0123 --scope arguments --reason 'reviewed'";

/// Let a call run; its requester cannot, except the owner on a terminal.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ApproveArgs {
    /// The approval
    approval: String,

    /// How far the yes reaches: this call, its run, these exact arguments, or the tool for its session
    #[arg(long, value_enum, default_value_t, value_name = "SCOPE")]
    scope: Reach,

    /// SHA-256 of the whole arguments; needed off a terminal where lists cut them
    #[arg(long, value_name = "SHA256")]
    arguments_sha256: Option<String>,

    /// What there is to say about it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// How far a yes reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Reach {
    #[default]
    Once,
    Run,
    Arguments,
    Session,
}

#[derive(Serialize)]
pub(super) struct Approved(Approval);

/// On a terminal the person sees first what it is about, with the whole arguments; elsewhere the command is the decision,
/// and has to name the digest of arguments that lists cut.
pub(super) fn execute(
    args: &ApproveArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Approved, CliError> {
    let present = Terminal::of_person(globals).is_some();
    let mut arguments_sha256 = args.arguments_sha256.clone();
    if present && !globals.yes {
        let id = &args.approval;
        let asked =
            client::ask(globals, "approvals approve", async |client| client.whole_approval(id).await)?;
        printer.show(&view::approval(&asked));
        confirm(globals, &format!("Let `{}` run?", asked.tool_id))?;
        // The digest of what was shown, not of what the daemon says it is.
        arguments_sha256.get_or_insert_with(|| Sha256Digest::of(asked.arguments.as_bytes()).to_string());
    }
    let request = ApproveRequest {
        scope: match args.scope {
            Reach::Once => ApprovalScope::Once,
            Reach::Run => ApprovalScope::Run,
            Reach::Arguments => ApprovalScope::Arguments,
            Reach::Session => ApprovalScope::Session,
        },
        arguments_sha256,
        reason: args.reason.clone(),
        owner_present: present,
    };
    let decided = client::ask(globals, "approvals approve", async |client| {
        client.approve(&args.approval, &request).await
    });
    decided.map(Approved)
}

impl Reply for Approved {
    const SCHEMA: &'static str = "palyra.approvals.approve/v1";

    fn data(&self) -> String {
        view::approval(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!("`{}` may run when it is called again", self.0.tool_id))]
    }
}

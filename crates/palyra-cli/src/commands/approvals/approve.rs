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
  palyra approvals approve latest
  palyra approvals approve apr_0123456789abcdef0123 --scope arguments --reason 'reviewed'";

/// Approve a call; its requester cannot, except the owner on a terminal
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ApproveArgs {
    /// Approval id, a unique prefix of it, or `latest`
    approval: String,

    /// What the approval covers: this call, its run, these arguments, or the tool for its session
    #[arg(long, value_enum, default_value_t, value_name = "SCOPE")]
    scope: Reach,

    /// SHA-256 of the complete arguments; required without a terminal if lists truncate them
    #[arg(long, value_name = "SHA256")]
    arguments_sha256: Option<String>,

    /// Reason, recorded in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Scope of an approval.
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

/// Approves a request. On a terminal the user sees the request with the whole arguments first; otherwise the command is
/// the decision, and has to contain the digest of arguments that lists truncate.
pub(super) fn execute(
    args: &ApproveArgs,
    globals: &Globals,
    printer: &Printer,
) -> Result<Approved, CliError> {
    let present = Terminal::of_person(globals).is_some();
    if args.approval == client::LATEST && (!present || globals.yes) {
        let message = "`latest` approves only a call that the terminal shows first";
        return Err(CliError::usage_with_hint(message, "use its id, shown by `palyra approvals list`"));
    }
    let mut arguments_sha256 = args.arguments_sha256.clone();
    let mut id = args.approval.clone();
    if present && !globals.yes {
        let asked = client::ask(globals, "approvals approve", async |client| {
            client.whole_approval(&client::approval_id(&client, &id).await?).await
        })?;
        // Approves the request that was shown, even if `latest` means another one now.
        id.clone_from(&asked.approval_id);
        printer.show(&view::approval(&asked));
        confirm(globals, &format!("Approve this call of `{}`?", asked.tool_id))?;
        // Hashed here instead of using the daemon's digest, so that the approval covers what was shown.
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
        client.approve(&client::approval_id(&client, &id).await?, &request).await
    });
    decided.map(Approved)
}

impl Reply for Approved {
    const SCHEMA: &'static str = "palyra.approvals.approve/v1";

    fn data(&self) -> String {
        view::approval(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!("approved: call `{}` again to run it", self.0.tool_id))]
    }
}

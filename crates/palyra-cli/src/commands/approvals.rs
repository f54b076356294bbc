//! `palyra approvals`: requests that wait for a decision.

mod approve;
mod deny;
mod list;
mod show;
mod view;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra approvals list
  palyra approvals approve latest";

/// Approve or deny calls that need a person's approval
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    verb: ApprovalsVerb,
}

#[derive(Subcommand)]
enum ApprovalsVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Approve(approve::ApproveArgs),
    Deny(deny::DenyArgs),
}

pub(crate) fn run(args: &ApprovalsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        ApprovalsVerb::List(args) => printer.finish(list::execute(args, globals)),
        ApprovalsVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ApprovalsVerb::Approve(args) => printer.finish(approve::execute(args, globals, &printer)),
        ApprovalsVerb::Deny(args) => printer.finish(deny::execute(args, globals)),
    }
}

//! `palyra console sessions`: the browsers that are signed in.

mod list;
mod revoke;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra console sessions list
  palyra console sessions revoke cs_0123456789abcdef";

/// List and revoke the browser sessions of the console
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(super) struct SessionsArgs {
    #[command(subcommand)]
    verb: SessionsVerb,
}

#[derive(Subcommand)]
enum SessionsVerb {
    List(list::ListArgs),
    Revoke(revoke::RevokeArgs),
}

pub(super) fn run(args: &SessionsArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match &args.verb {
        SessionsVerb::List(_) => printer.finish(list::execute(globals)),
        SessionsVerb::Revoke(args) => printer.finish(revoke::execute(args, globals)),
    }
}

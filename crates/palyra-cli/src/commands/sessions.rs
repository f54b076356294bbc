//! `palyra sessions`: conversations with the agent.

mod export;
mod list;
mod remove;
mod show;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra sessions list
  palyra sessions show ses_0123456789abcdef0123456789abcdef";

/// Manage sessions with the agent
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    verb: SessionsVerb,
}

#[derive(Subcommand)]
enum SessionsVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Export(export::ExportArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &SessionsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        SessionsVerb::List(args) => printer.finish(list::execute(args, globals)),
        SessionsVerb::Show(args) => printer.finish(show::execute(args, globals)),
        SessionsVerb::Export(args) => printer.finish(export::execute(args, globals)),
        SessionsVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

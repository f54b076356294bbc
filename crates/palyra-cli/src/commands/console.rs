//! `palyra console`: opens the console in a browser, and manages its sign-ins.

mod open;
mod sessions;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra console open
  palyra console sessions list";

/// Open the console in a browser and manage its sessions
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct ConsoleArgs {
    #[command(subcommand)]
    verb: ConsoleVerb,
}

#[derive(Subcommand)]
enum ConsoleVerb {
    Open(open::OpenArgs),
    Sessions(sessions::SessionsArgs),
}

pub(crate) fn run(args: &ConsoleArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        ConsoleVerb::Open(_) => printer.finish(open::execute(globals)),
        ConsoleVerb::Sessions(args) => sessions::run(args, globals, &printer),
    }
}

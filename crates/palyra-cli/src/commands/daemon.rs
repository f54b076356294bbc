//! `palyra daemon`: the process that owns the state root.

pub(crate) mod run;
mod status;
mod stop;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra daemon status
  palyra daemon stop";

/// Run, inspect or stop the daemon
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    verb: DaemonVerb,
}

#[derive(Subcommand)]
enum DaemonVerb {
    Run(Box<run::RunArgs>),
    Status(status::StatusArgs),
    Stop(stop::StopArgs),
}

pub(crate) fn run(args: &DaemonArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        DaemonVerb::Run(args) => run::run(args, globals, &printer),
        DaemonVerb::Status(_) => printer.finish(status::execute(globals)),
        DaemonVerb::Stop(_) => printer.finish(stop::execute(globals)),
    }
}

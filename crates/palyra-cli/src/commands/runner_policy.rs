//! `palyra runner-policy`: limits of every run.

mod reset;
mod set;
mod show;
mod value;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra runner-policy show
  palyra runner-policy set allow_inline_modules=true
  palyra runner-policy reset";

/// Set limits for all runs, and allow or forbid inline modules
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct RunnerPolicyArgs {
    #[command(subcommand)]
    verb: RunnerPolicyVerb,
}

#[derive(Subcommand)]
enum RunnerPolicyVerb {
    Show(show::ShowArgs),
    Set(set::SetArgs),
    Reset(reset::ResetArgs),
}

pub(crate) fn run(args: &RunnerPolicyArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        RunnerPolicyVerb::Show(_) => printer.finish(show::execute(globals)),
        RunnerPolicyVerb::Set(args) => printer.finish(set::execute(args, globals)),
        RunnerPolicyVerb::Reset(_) => printer.finish(reset::execute(globals)),
    }
}

//! `palyra objectives`: goals, and the budgets of their unattended runs.

mod add;
mod list;
mod remove;
mod show;
mod turn;
mod view;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra objectives add inbox --goal 'keep the inbox sorted' --runs 500 --fuel 5000000000
  palyra objectives list";

/// Give routines a goal and a budget of runs and fuel
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct ObjectivesArgs {
    #[command(subcommand)]
    verb: ObjectivesVerb,
}

#[derive(Subcommand)]
enum ObjectivesVerb {
    List(list::ListArgs),
    Add(add::AddArgs),
    Show(show::ShowArgs),
    Pause(turn::PauseArgs),
    Resume(turn::ResumeArgs),
    Done(turn::DoneArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &ObjectivesArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        ObjectivesVerb::List(_) => printer.finish(list::execute(globals)),
        ObjectivesVerb::Add(args) => printer.finish(add::execute(args, globals)),
        ObjectivesVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ObjectivesVerb::Pause(args) => printer.finish(turn::pause(args, globals)),
        ObjectivesVerb::Resume(args) => printer.finish(turn::resume(args, globals)),
        ObjectivesVerb::Done(args) => printer.finish(turn::done(args, globals)),
        ObjectivesVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

//! `palyra routines`: scheduled tool calls.

mod add;
mod fire;
mod list;
mod remove;
mod show;
mod switch;
mod view;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra routines add morning acme.notes.digest --cron '0 9 * * mon-fri' --time-zone Europe/Prague
  palyra routines list";

const MORE: &str = "\
Routines run only while a daemon is running: `palyra up`, or palyrad as a service.";

/// Schedule tool calls and show their history
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE, arg_required_else_help = true)]
pub(crate) struct RoutinesArgs {
    #[command(subcommand)]
    verb: RoutinesVerb,
}

#[derive(Subcommand)]
enum RoutinesVerb {
    List(list::ListArgs),
    Add(Box<add::AddArgs>),
    Show(show::ShowArgs),
    Enable(switch::EnableArgs),
    Disable(switch::DisableArgs),
    Fire(fire::FireArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &RoutinesArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        RoutinesVerb::List(_) => printer.finish(list::execute(globals)),
        RoutinesVerb::Add(args) => printer.finish(add::execute(args, globals)),
        RoutinesVerb::Show(args) => printer.finish(show::execute(args, globals)),
        RoutinesVerb::Enable(args) => printer.finish(switch::enable(args, globals)),
        RoutinesVerb::Disable(args) => printer.finish(switch::disable(args, globals)),
        RoutinesVerb::Fire(args) => printer.finish(fire::execute(args, globals)),
        RoutinesVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

//! `palyra runs`: past and current runs, their output and their receipts.

mod cancel;
mod events;
mod list;
mod receipt;
mod replay;
mod show;
mod tape;
mod verify;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra runs list --since 1h
  palyra runs receipt latest --out run.receipt.json
  palyra runs receipt --verify run.receipt.json";

/// List runs, follow and replay them, and print receipts
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    verb: RunsVerb,
}

#[derive(Subcommand)]
enum RunsVerb {
    List(Box<list::ListArgs>),
    Show(show::ShowArgs),
    Events(events::EventsArgs),
    Tape(tape::TapeArgs),
    Receipt(receipt::ReceiptArgs),
    Replay(replay::ReplayArgs),
    Cancel(cancel::CancelArgs),
}

pub(crate) fn run(args: &RunsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        RunsVerb::List(args) => printer.finish(list::execute(args, globals)),
        RunsVerb::Show(args) => printer.finish(show::execute(args, globals)),
        RunsVerb::Events(args) => events::run(args, globals, &printer),
        RunsVerb::Tape(args) => tape::run(args, globals, &printer),
        RunsVerb::Receipt(args) => receipt::run(args, globals, &printer),
        RunsVerb::Replay(args) => printer.finish(replay::execute(args, globals)),
        RunsVerb::Cancel(args) => printer.finish(cancel::execute(args, globals)),
    }
}

//! `palyra journal`: recorded events, and the proof that none was removed.

mod checkpoint;
mod events;
mod query;
mod tail;
pub(crate) mod time;
mod verify;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra journal tail
  palyra journal query --kind trust:allowed --since 7d
  palyra journal verify";

/// Search the journal of all events and verify it
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct JournalArgs {
    #[command(subcommand)]
    verb: JournalVerb,
}

#[derive(Subcommand)]
enum JournalVerb {
    Tail(tail::TailArgs),
    Query(Box<query::QueryArgs>),
    Verify(verify::VerifyArgs),
    Checkpoint(checkpoint::CheckpointArgs),
}

pub(crate) fn run(args: &JournalArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        JournalVerb::Tail(args) => tail::run(args, globals, &printer),
        JournalVerb::Query(args) => printer.finish(query::execute(args, globals)),
        JournalVerb::Verify(args) => printer.finish(verify::execute(args, globals, &printer)),
        JournalVerb::Checkpoint(_) => printer.finish(checkpoint::execute(globals)),
    }
}

//! `palyra hooks dead-letters`.

mod drop_letter;
mod list;
mod retry;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra hooks dead-letters list
  palyra hooks dead-letters retry 3";

/// Look at events that observers could not take; tell them again, or drop them.
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(super) struct DeadLettersArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(list::ListArgs),
    Retry(retry::RetryArgs),
    Drop(drop_letter::DropArgs),
}

pub(super) fn run(args: &DeadLettersArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match &args.verb {
        Verb::List(args) => printer.finish(list::execute(args, globals)),
        Verb::Retry(args) => printer.finish(retry::execute(args, globals)),
        Verb::Drop(args) => printer.finish(drop_letter::execute(args, globals)),
    }
}

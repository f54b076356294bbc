//! `palyra deliveries`: lanes of events to hooks and messages to channels, and dead letters.

mod dead_letters;
mod list;

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra deliveries list
  palyra deliveries dead-letters retry 3";

/// Inspect deliveries to hooks and channels, and retry failed ones
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct DeliveriesArgs {
    #[command(subcommand)]
    verb: DeliveriesVerb,
}

#[derive(Subcommand)]
enum DeliveriesVerb {
    List(list::ListArgs),
    DeadLetters(dead_letters::DeadLettersArgs),
}

/// The former `dead-letters` of hooks and channels
#[derive(Args)]
pub(crate) struct MovedArgs {
    #[arg(hide = true, num_args = 0.., allow_hyphen_values = true)]
    _rest: Vec<String>,
}

pub(crate) fn run(args: &DeliveriesArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        DeliveriesVerb::List(_) => printer.finish(list::execute(globals)),
        DeliveriesVerb::DeadLetters(args) => dead_letters::run(args, globals, &printer),
    }
}

/// Names the command that replaced `palyra NOUN dead-letters`.
pub(crate) fn moved(noun: &str, filter: &str, printer: &Printer) -> ExitCode {
    let message = format!("dead letters of {noun} moved to `palyra deliveries dead-letters`");
    let hint = format!(
        "run `palyra deliveries dead-letters list {filter} NAME`, then `retry` or `drop` a letter by its number"
    );
    printer.finish(Err::<list::Listed, _>(CliError::usage_with_hint(message, hint)))
}

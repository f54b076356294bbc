//! `palyra deliveries dead-letters`.

mod drop_letter;
mod list;
mod retry;

use super::list::kind;
use crate::cli::Globals;
use crate::output::{Printer, facts};
use clap::{Args, Subcommand};
use palyra_api::deliveries::DeliveryDeadLetter;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra deliveries dead-letters list
  palyra deliveries dead-letters retry 3";

/// List, retry or drop failed deliveries
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

/// Formats the result of an operation on a dead letter.
fn done(what: &str, letter: &DeliveryDeadLetter) -> String {
    let item = if letter.event.is_some() { "event" } else { "message" };
    facts(&[
        (what, letter.letter.to_string()),
        (kind(letter.kind), letter.lane.clone()),
        (item, letter.item.to_string()),
    ])
}

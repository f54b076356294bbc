//! `palyra channels dead-letters`.

mod drop_letter;
mod list;
mod retry;

use crate::cli::Globals;
use crate::output::{Printer, facts};
use clap::{Args, Subcommand};
use palyra_api::channels::ChannelDeadLetter;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra channels dead-letters list alerts
  palyra channels dead-letters retry alerts 3";

/// Look at messages a channel gave up; send them again, or drop them.
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

/// What became of a letter.
fn became(done: &str, letter: &ChannelDeadLetter) -> String {
    facts(&[
        (done, letter.letter.to_string()),
        ("channel", letter.channel.clone()),
        ("message", letter.message.to_string()),
    ])
}

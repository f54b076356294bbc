//! `palyra channels`: destinations of messages from skills.

mod add;
mod list;
mod remove;
mod show;
mod tail;
mod view;

use super::deliveries::{MovedArgs, moved};
use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra channels add alerts --to console
  palyra channels tail alerts --follow";

/// Manage channels that skills publish messages to
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct ChannelsArgs {
    #[command(subcommand)]
    verb: ChannelsVerb,
}

#[derive(Subcommand)]
enum ChannelsVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
    Tail(tail::TailArgs),
    #[command(hide = true)]
    DeadLetters(MovedArgs),
}

pub(crate) fn run(args: &ChannelsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        ChannelsVerb::List(_) => printer.finish(list::execute(globals)),
        ChannelsVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ChannelsVerb::Add(args) => printer.finish(add::execute(args, globals)),
        ChannelsVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
        ChannelsVerb::Tail(args) => tail::run(args, globals, &printer),
        ChannelsVerb::DeadLetters(_) => moved("channels", "--channel", &printer),
    }
}

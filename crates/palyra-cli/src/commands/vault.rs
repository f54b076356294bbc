//! `palyra vault`: secrets that can be stored and never shown.

mod list;
mod put;
mod reference;
mod remove;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra vault put global/github_token
  palyra vault list";

/// Manage secrets for skills; no command prints them
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct VaultArgs {
    #[command(subcommand)]
    verb: VaultVerb,
}

#[derive(Subcommand)]
enum VaultVerb {
    Put(put::PutArgs),
    List(list::ListArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &VaultArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        VaultVerb::Put(args) => printer.finish(put::execute(args, globals)),
        VaultVerb::List(_) => printer.finish(list::execute(globals)),
        VaultVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

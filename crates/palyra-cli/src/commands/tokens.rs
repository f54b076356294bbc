//! `palyra tokens`: API tokens for principals besides the owner.

mod add;
mod list;
mod remove;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra tokens add editor --scope read --scope invoke --out editor.token
  palyra tokens list";

/// Manage tokens for programs that call tools
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct TokensArgs {
    #[command(subcommand)]
    verb: TokensVerb,
}

#[derive(Subcommand)]
enum TokensVerb {
    List(list::ListArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &TokensArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        TokensVerb::List(_) => printer.finish(list::execute(globals)),
        TokensVerb::Add(args) => printer.finish(add::execute(args, globals)),
        TokensVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

//! `palyra keys`: signing keys of skills. The secret half only leaves the vault in a sealed file.

mod export;
mod import;
mod list;
mod new;
mod partial;
mod revoke;
mod rotate;
mod sign;
mod view;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra keys new release
  palyra keys export release --public";

/// Manage the keys that sign skills
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    verb: KeysVerb,
}

#[derive(Subcommand)]
enum KeysVerb {
    New(new::NewArgs),
    List(list::ListArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Rotate(rotate::RotateArgs),
    Sign(sign::SignArgs),
    Revoke(revoke::RevokeArgs),
}

pub(crate) fn run(args: &KeysArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        KeysVerb::New(args) => printer.finish(new::execute(args, globals)),
        KeysVerb::List(_) => printer.finish(list::execute(globals)),
        KeysVerb::Export(args) => printer.finish(export::execute(args, globals)),
        KeysVerb::Import(args) => printer.finish(import::execute(args, globals)),
        KeysVerb::Rotate(args) => printer.finish(rotate::execute(args, globals)),
        KeysVerb::Sign(args) => printer.finish(sign::execute(args, globals)),
        KeysVerb::Revoke(args) => printer.finish(revoke::execute(args, globals)),
    }
}

//! `palyra skills package`.

mod build;
mod diff;
pub(super) mod directory;
mod inspect;
pub(super) mod manifest_edit;
mod publisher_keys;
mod sign;
mod signing_key;
mod verify;

use super::show;
use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra skills package build ./notes --out notes.palyra-skill --signing-key-vault-ref release
  palyra skills package inspect notes.palyra-skill";

/// Build and inspect `.palyra-skill` packages
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(super) struct PackageArgs {
    #[command(subcommand)]
    command: PackageCommand,
}

#[derive(Subcommand)]
enum PackageCommand {
    Build(build::BuildArgs),
    Sign(sign::SignArgs),
    Verify(verify::VerifyArgs),
    Inspect(inspect::InspectArgs),
    Diff(diff::DiffArgs),
}

pub(super) fn run(args: &PackageArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match &args.command {
        PackageCommand::Build(args) => show(printer, build::run(args, globals, printer)),
        PackageCommand::Sign(args) => show(printer, sign::run(args, globals)),
        PackageCommand::Verify(args) => show(printer, verify::run(args, globals)),
        PackageCommand::Inspect(args) => show(printer, inspect::run(args)),
        PackageCommand::Diff(args) => show(printer, diff::run(args)),
    }
}

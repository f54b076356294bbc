//! `palyra trust`: trusted keys, and repair of a damaged state.

mod allow;
mod apply;
mod block;
mod list;
mod repair;
mod repin;
mod show;
mod unblock;
mod view;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra trust allow acme ed25519-public:PUBLICKEY
  palyra trust show acme";

/// Manage trusted publishers
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    verb: TrustVerb,
}

#[derive(Subcommand)]
enum TrustVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Allow(allow::AllowArgs),
    Block(block::BlockArgs),
    Unblock(unblock::UnblockArgs),
    Repin(repin::RepinArgs),
    Apply(apply::ApplyArgs),
    Repair(repair::RepairArgs),
}

pub(crate) fn run(args: &TrustArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        TrustVerb::List(_) => printer.finish(list::execute(globals)),
        TrustVerb::Show(args) => printer.finish(show::execute(args, globals)),
        TrustVerb::Allow(args) => printer.finish(allow::execute(args, globals)),
        TrustVerb::Block(args) => printer.finish(block::execute(args, globals)),
        TrustVerb::Unblock(args) => printer.finish(unblock::execute(args, globals)),
        TrustVerb::Repin(args) => printer.finish(repin::execute(args, globals)),
        TrustVerb::Apply(args) => printer.finish(apply::execute(args, globals)),
        TrustVerb::Repair(args) => printer.finish(repair::execute(args, globals)),
    }
}

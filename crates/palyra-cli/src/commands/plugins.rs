//! `palyra plugins`: grants of a skill's runs with reasons, and the settings of operators.

mod check;
mod config;
mod grants;
mod info;
mod list;
mod profile;
mod touched;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra plugins list
  palyra plugins grants acme.notes
  palyra plugins profile set acme.notes --grant fs-read:notes=/srv/notes";

/// Show and limit what a skill is allowed to do
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct PluginsArgs {
    #[command(subcommand)]
    verb: PluginsVerb,
}

#[derive(Subcommand)]
enum PluginsVerb {
    List(list::ListArgs),
    #[command(name = "show", alias = "info")]
    Info(info::InfoArgs),
    Grants(grants::GrantsArgs),
    Check(check::CheckArgs),
    Touched(touched::TouchedArgs),
    Profile(profile::ProfileArgs),
    Config(config::ConfigArgs),
}

pub(crate) fn run(args: &PluginsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        PluginsVerb::List(_) => printer.finish(list::execute(globals)),
        PluginsVerb::Info(args) => printer.finish(info::execute(args, globals)),
        PluginsVerb::Grants(args) => printer.finish(grants::execute(args, globals)),
        PluginsVerb::Check(args) => printer.finish(check::execute(args, globals)),
        PluginsVerb::Touched(args) => printer.finish(touched::execute(args, globals)),
        PluginsVerb::Profile(args) => profile::run(args, globals, &printer),
        PluginsVerb::Config(args) => config::run(args, globals, &printer),
    }
}

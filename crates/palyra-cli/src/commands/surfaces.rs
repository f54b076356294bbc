//! `palyra surfaces`: documents that tools returned, and the forms in them.

mod list;
mod show;
mod submit;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra surfaces list
  palyra surfaces submit run_0123456789abcdef0123456789abcdef";

/// Show documents that tools returned and submit their forms
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct SurfacesArgs {
    #[command(subcommand)]
    verb: SurfacesVerb,
}

#[derive(Subcommand)]
enum SurfacesVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Submit(submit::SubmitArgs),
}

/// Runs the command and prints its result.
pub(crate) fn run(args: &SurfacesArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        SurfacesVerb::List(args) => printer.finish(list::execute(args, globals)),
        SurfacesVerb::Show(args) => printer.finish(show::execute(args, globals)),
        SurfacesVerb::Submit(args) => printer.finish(submit::execute(args, globals, &printer)),
    }
}

//! `palyra hooks`: plugins that observe events, and gates that are called before tools.

mod apply;
mod bind;
mod list;
mod show;
mod switch;
mod test;
mod unbind;
mod view;

use super::deliveries::{MovedArgs, moved};
use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

pub(super) use test::answer;

const EXAMPLE: &str = "\
Example:
  palyra hooks bind --event run:before_tool --plugin palyra.tool_gate
  palyra hooks list";

/// Bind plugins to events and test them
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    verb: HooksVerb,
}

#[derive(Subcommand)]
enum HooksVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Bind(Box<bind::BindArgs>),
    Unbind(unbind::UnbindArgs),
    Enable(switch::EnableArgs),
    Disable(switch::DisableArgs),
    Test(test::TestArgs),
    Apply(apply::ApplyArgs),
    #[command(hide = true)]
    DeadLetters(MovedArgs),
}

pub(crate) fn run(args: &HooksArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        HooksVerb::List(_) => printer.finish(list::execute(globals)),
        HooksVerb::Show(args) => printer.finish(show::execute(args, globals)),
        HooksVerb::Bind(args) => printer.finish(bind::execute(args, globals)),
        HooksVerb::Unbind(args) => printer.finish(unbind::execute(args, globals)),
        HooksVerb::Enable(args) => printer.finish(switch::enable(args, globals)),
        HooksVerb::Disable(args) => printer.finish(switch::disable(args, globals)),
        HooksVerb::Test(args) => printer.finish(test::execute(args, globals)),
        HooksVerb::Apply(args) => printer.finish(apply::execute(args, globals)),
        HooksVerb::DeadLetters(_) => moved("hooks", "--hook", &printer),
    }
}

//! `palyra models`: the language models of the agent.

mod add;
mod default;
mod list;
mod remove;
mod show;
mod test;
mod view;

use crate::cli::Globals;
use crate::output::Printer;
use clap::{Args, Subcommand};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra vault put global/openai_key
  palyra models add gpt --protocol responses --base-url https://api.openai.com --model gpt-5-mini --key global/openai_key
  palyra models test gpt";

/// Manage the language models of the agent
#[derive(Args)]
#[command(before_help = EXAMPLE, arg_required_else_help = true)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    verb: ModelsVerb,
}

#[derive(Subcommand)]
enum ModelsVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Add(Box<add::AddArgs>),
    Test(test::TestArgs),
    Default(default::DefaultArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn run(args: &ModelsArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    match &args.verb {
        ModelsVerb::List(_) => printer.finish(list::execute(globals)),
        ModelsVerb::Show(args) => printer.finish(show::execute(args, globals)),
        ModelsVerb::Add(args) => printer.finish(add::execute(args, globals)),
        ModelsVerb::Test(args) => test::run(args, globals, &printer),
        ModelsVerb::Default(args) => printer.finish(default::execute(args, globals)),
        ModelsVerb::Remove(args) => printer.finish(remove::execute(args, globals)),
    }
}

//! `palyra completions`.

use crate::cli::{Cli, Globals};
use crate::output::Printer;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra completions bash > ~/.local/share/bash-completion/completions/palyra";

/// Print the completions of a shell.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: CompletionsArgs, globals: &Globals) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&Cli::command()), "palyra", &mut text);
    Printer::plain(globals.form()).data(&text)
}

/// The same command without its hidden flags, which most shells would offer.
fn visible(command: &Command) -> Command {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    Command::new(command.get_name().to_owned())
        .about(about)
        .args(command.get_arguments().filter(|argument| !argument.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().map(visible))
}

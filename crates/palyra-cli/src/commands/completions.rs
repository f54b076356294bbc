//! `palyra completions`.

use crate::cli::{Cli, Globals};
use crate::output::Printer;
use clap::{Args, CommandFactory};
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

pub(crate) fn run(args: CompletionsArgs, globals: Globals) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "palyra", &mut text);
    Printer::plain(globals.form()).data(&text)
}

//! `palyra man`.

use crate::cli::{Cli, Globals};
use crate::error::CliError;
use crate::output::Printer;
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra man run | man -l -";

/// Print a manual page.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(crate) struct ManArgs {
    /// The command whose page it is; without one, the page of `palyra` itself
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn run(args: &ManArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::plain(globals.form());
    match page(args.command.as_deref()) {
        Ok(text) => printer.data(&text),
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

fn page(name: Option<&str>) -> Result<Vec<u8>, CliError> {
    let mut palyra = Cli::command();
    // Fills in the global flags and the full names of the commands.
    palyra.build();
    let command = match name {
        None => palyra,
        Some(name) => palyra.find_subcommand(name).cloned().ok_or_else(|| unknown(name, &palyra))?,
    };
    let title = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut text = Vec::new();
    Man::new(command).title(title).render(&mut text).map_err(CliError::io("the page cannot be made"))?;
    Ok(text)
}

fn unknown(name: &str, palyra: &clap::Command) -> CliError {
    let known: Vec<String> = palyra
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .map(|c| format!("`{}`", c.get_name()))
        .collect();
    CliError::usage_with_hint(
        format!("there is no command `{name}`"),
        format!("there is {}", known.join(", ")),
    )
}

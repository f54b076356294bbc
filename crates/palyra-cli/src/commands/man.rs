//! `palyra man`.

use crate::cli::{Cli, Globals};
use crate::error::CliError;
use crate::output::Printer;
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra man run | man -l -
  palyra man skills install | man -l -
  palyra man --out ~/.local/share/man/man1";

/// Print a manual page
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(crate) struct ManArgs {
    /// Command with its verb [default: the page of `palyra` itself]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Directory to write the pages of all commands to
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::plain(globals.form());
    let text = match &args.out {
        Some(directory) => write_pages(directory).map(|()| Vec::new()),
        None => page(&args.command),
    };
    match text {
        Ok(text) => printer.data(&text),
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

fn write_pages(directory: &Path) -> Result<(), CliError> {
    let action = format!("cannot write manual pages to `{}`", directory.display());
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), directory))
        .map_err(CliError::io(action))
}

fn page(names: &[String]) -> Result<Vec<u8>, CliError> {
    let mut palyra = Cli::command();
    // Fills in the global flags and the full names of the commands.
    palyra.build();
    let mut command = &palyra;
    for name in names {
        command = command.find_subcommand(name).ok_or_else(|| unknown(name, command))?;
    }
    let title = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut text = Vec::new();
    let page = Man::new(command.clone()).title(title);
    page.render(&mut text).map_err(CliError::io("cannot render the page"))?;
    Ok(text)
}

fn unknown(name: &str, command: &clap::Command) -> CliError {
    let message = format!("unknown command `{name}`");
    let known: Vec<String> = command
        .get_subcommands()
        .filter(|command| command.get_name() != "help" && !command.is_hide_set())
        .map(|c| format!("`{}`", c.get_name()))
        .collect();
    if known.is_empty() {
        return CliError::usage_with_hint(message, format!("`{}` has no verbs", command.get_name()));
    }
    CliError::usage_with_hint(message, format!("choose from {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &clap::Command, path: &mut Vec<String>) {
        let text = String::from_utf8(page(path).unwrap()).unwrap();
        let title = std::iter::once("palyra").chain(path.iter().map(String::as_str)).collect::<Vec<_>>();
        assert!(text.contains(&format!(".TH {} 1", title.join("-"))), "{text}");
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            path.push(verb.get_name().to_owned());
            check(verb, path);
            path.pop();
        }
    }

    #[test]
    fn pages_of_all_commands_are_written() {
        let folder = tempfile::tempdir().unwrap();
        write_pages(&folder.path().join("man1")).unwrap();
        assert!(folder.path().join("man1/palyra.1").is_file());
        assert!(folder.path().join("man1/palyra-skills-install.1").is_file());
    }

    #[test]
    fn every_command_and_every_verb_has_a_page() {
        check(&Cli::command(), &mut Vec::new());
    }
}

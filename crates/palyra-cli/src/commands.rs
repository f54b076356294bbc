//! One file per command; this one only dispatches.

pub(crate) mod compile_module;
pub(crate) mod completions;
pub(crate) mod man;
pub(crate) mod run;

use crate::cli::{Cli, Command};
use std::process::ExitCode;

/// Carries out what was asked.
pub(crate) fn dispatch(cli: Cli) -> ExitCode {
    match cli.command {
        Command::Run(args) => run::run(&args, cli.globals),
        Command::Completions(args) => completions::run(args, cli.globals),
        Command::Man(args) => man::run(&args, cli.globals),
    }
}

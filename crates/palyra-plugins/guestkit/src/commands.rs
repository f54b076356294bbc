//! The command line: one file per command.

mod build;
mod build_all;
mod c_bindings;
mod component;
mod doctor;
mod output;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use palyra_plugins_guestkit::{GuestkitError, Kit};

/// Build WebAssembly guests from source; whatever a language needs is installed into a private cache.
#[derive(Parser)]
#[command(name = "guestkit", version, after_help = ENVIRONMENT)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const ENVIRONMENT: &str = "Environment:
  PALYRA_CACHE_DIR    directory for tools and built guests (default ~/.cache/palyra)
  PALYRA_GUEST_ROUTE  Rust toolchain route: auto, installed, rustup or debian";

#[derive(Subcommand)]
enum Command {
    Build(build::Args),
    BuildAll(build_all::Args),
    Component(component::Args),
    CBindings(c_bindings::Args),
    Doctor(doctor::Args),
}

impl Cli {
    pub(crate) fn run(self) -> ExitCode {
        let done = match self.command {
            Command::Build(args) => build::run(args),
            Command::BuildAll(args) => build_all::run(args),
            Command::Component(args) => component::run(args),
            Command::CBindings(args) => c_bindings::run(args),
            Command::Doctor(args) => doctor::run(args),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                output::complain(&error);
                ExitCode::FAILURE
            }
        }
    }
}

fn kit() -> Result<Kit, GuestkitError> {
    Kit::from_env(output::say)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn one_output_file_cannot_hold_two_guests() {
        assert!(Cli::try_parse_from(["guestkit", "build", "a", "--out", "x.wasm"]).is_ok());
        let Command::Build(args) =
            Cli::try_parse_from(["guestkit", "build", "a", "b", "--out", "x.wasm"]).unwrap().command
        else {
            panic!("not a build")
        };
        assert!(build::run(args).is_err());
    }
}

//! One file per command.

mod bench;
mod clients;
mod demo;
mod eyes;
mod foreign;
mod fuzz;
mod guests;
mod infra;
mod skills;
mod soak;
mod test;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Tasks of this project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Guests(guests::Args),
    Skills(skills::Args),
    Test(test::Args),
    Demo(demo::Args),
    Bench(bench::Args),
    Fuzz(fuzz::Args),
    Foreign(foreign::Args),
    Eyes(eyes::Args),
    Clients(clients::Args),
    Infra(infra::Args),
    Soak(soak::Args),
}

impl Cli {
    pub(crate) fn run(self) -> Result<()> {
        match self.command {
            Command::Guests(args) => guests::run(args),
            Command::Skills(args) => skills::run(args),
            Command::Test(args) => test::run(args),
            Command::Demo(args) => demo::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Fuzz(args) => fuzz::run(args),
            Command::Foreign(args) => foreign::run(args),
            Command::Eyes(args) => eyes::run(args),
            Command::Clients(args) => clients::run(args),
            Command::Infra(args) => infra::run(args),
            Command::Soak(args) => soak::run(args),
        }
    }
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
    fn every_command_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.clone().render_long_help().to_string();
            let example = format!("Example: cargo xtask {}", command.get_name());
            assert!(help.contains(&example), "{help}");
        }
    }

    #[test]
    fn arguments_after_bench_and_soak_are_passed_on() {
        for words in
            [["cargo xtask", "bench", "call", "--seconds", "5"], ["cargo xtask", "soak", "--for", "1h", "x"]]
        {
            assert!(Cli::try_parse_from(words).is_ok(), "{words:?}");
        }
    }
}

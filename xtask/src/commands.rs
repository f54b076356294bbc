//! One file per command.

mod a2ui;
mod attack;
mod bench;
mod build;
mod clients;
mod dist;
mod docs;
mod eyes;
mod figures;
mod foreign;
mod fuzz;
mod guests;
mod infra;
mod models;
mod reproduce;
mod router;
mod skills;
mod soak;
mod structure;
mod test;
mod up;
mod web;

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
    Build(build::Args),
    Up(up::Args),
    Guests(guests::Args),
    Skills(skills::Args),
    Reproduce(reproduce::Args),
    Test(test::Args),
    Web(web::Args),
    A2ui(a2ui::Args),
    Attack(attack::Args),
    Dist(dist::Args),
    Docs(docs::Args),
    Bench(bench::Args),
    Figures(figures::Args),
    Fuzz(fuzz::Args),
    Foreign(foreign::Args),
    Eyes(eyes::Args),
    Clients(clients::Args),
    Infra(infra::Args),
    Router(router::Args),
    Models(models::Args),
    Soak(soak::Args),
    Structure(structure::Args),
}

impl Cli {
    pub(crate) fn run(self) -> Result<()> {
        match self.command {
            Command::Build(args) => build::run(args),
            Command::Up(args) => up::run(args),
            Command::Guests(args) => guests::run(args),
            Command::Skills(args) => skills::run(args),
            Command::Reproduce(args) => reproduce::run(args),
            Command::Test(args) => test::run(args),
            Command::Web(args) => web::run(args),
            Command::A2ui(args) => a2ui::run(args),
            Command::Attack(args) => attack::run(args),
            Command::Dist(args) => dist::run(args),
            Command::Docs(args) => docs::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Figures(args) => figures::run(args),
            Command::Fuzz(args) => fuzz::run(args),
            Command::Foreign(args) => foreign::run(args),
            Command::Eyes(args) => eyes::run(args),
            Command::Clients(args) => clients::run(args),
            Command::Infra(args) => infra::run(args),
            Command::Router(args) => router::run(args),
            Command::Models(args) => models::run(args),
            Command::Soak(args) => soak::run(args),
            Command::Structure(args) => structure::run(args),
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
    fn arguments_after_bench_soak_and_up_are_passed_on() {
        for words in [
            ["cargo xtask", "bench", "call", "--seconds", "5"],
            ["cargo xtask", "soak", "--for", "1h", "x"],
            ["cargo xtask", "up", "--", "-d", "--json"],
        ] {
            assert!(Cli::try_parse_from(words).is_ok(), "{words:?}");
        }
    }
}

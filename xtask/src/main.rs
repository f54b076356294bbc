//! `cargo xtask`: the development tasks of this project.

#![forbid(unsafe_code)]

mod commands;
mod guest_builder;
mod output;
mod project;
mod shell;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match commands::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}

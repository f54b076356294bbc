//! `guestkit`: builds WebAssembly guests from source.

#![forbid(unsafe_code)]

mod commands;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    commands::Cli::parse().run()
}

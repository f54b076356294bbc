//! `palyra`: the command line; under the name `palyrad`, the same program is the daemon.
//!
//! [`cli`] defines the arguments, [`commands`] has a file for each command, [`output`] formats their results, and
//! [`error`] converts errors to exit codes and text. [`client`] connects to the daemon, in another process or in this
//! one; [`state`] opens the state root for commands that own it.

#![forbid(unsafe_code)]

mod browser;
mod cli;
mod client;
mod commands;
mod directories;
mod error;
mod files;
mod forms;
mod interrupt;
mod output;
mod program;
mod progress;
mod standard_input;
mod state;
mod terminal;

use std::process::ExitCode;

/// The C library's allocator takes locks if one thread frees what another has allocated, which calls do often.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The compiling child is this program too, and does not parse the command line.
    if let Some(ended) = palyra_daemon::compile_child::as_child(std::env::args_os()) {
        return ended;
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(ended) = palyra_daemon::palyrad::as_daemon(&arguments) {
        return ended;
    }
    match cli::parse(&arguments) {
        Ok(cli) => commands::dispatch(cli),
        Err(refusal) => refusal.show(),
    }
}

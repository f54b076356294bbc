//! Compares Palyra's calls with the bare engine, a naive implementation and Extism.
//!
//! Absolute times depend on the machine, so every row is a counter or a ratio of two sides measured alternately in one
//! run. `docs/benchmarks.md` explains each row.

mod bare;
mod cli;
mod clients;
mod extism_echo;
mod guests;
mod home;
mod naive;
mod ours;
mod process;
mod report;
mod row;
mod rows;
mod sample;
mod served;
mod skill;
mod soak;
mod soak_daemon;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

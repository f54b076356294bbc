//! Palyra's calls beside the bare engine, the naive way and Extism.
//!
//! Absolute times move with the machine, so every row is a ratio taken in one run with the sides in turn,
//! or a counter. `docs/benchmarks.md` says what each row means.

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

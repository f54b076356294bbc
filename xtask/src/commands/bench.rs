//! `cargo xtask bench`

use std::ffi::OsString;

use anyhow::Result;

use crate::{guest_builder, shell};

/// Build the guests, then run the benchmarks in release mode; what follows is passed to them.
///
/// Example: cargo xtask bench --help
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct Args {
    /// Arguments of the benchmarks.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

pub(super) fn run(args: Args) -> Result<()> {
    run_benches(args.arguments)
}

/// Runs the program in `benches` with these arguments.
pub(super) fn run_benches(arguments: Vec<OsString>) -> Result<()> {
    guest_builder::build_all(false)?;
    let mut benches = shell::cargo();
    benches
        .args(["run", "--release", "--locked", "--manifest-path", "benches/Cargo.toml", "--"])
        .args(arguments);
    shell::run(benches)
}

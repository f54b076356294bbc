//! `cargo xtask soak`

use std::ffi::OsString;

use anyhow::Result;

use super::bench::run_benches;

/// Call guests for a long time and watch memory, files and threads; what follows is passed on.
///
/// Example: cargo xtask soak
#[derive(clap::Args)]
pub(super) struct Args {
    /// Arguments of the soak run.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

pub(super) fn run(args: Args) -> Result<()> {
    run_benches(std::iter::once(OsString::from("soak")).chain(args.arguments).collect())
}

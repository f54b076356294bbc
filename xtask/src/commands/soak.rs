//! `cargo xtask soak`

use std::ffi::OsString;

use anyhow::Result;

use super::bench::run_benches;

/// Call guests for a long time and watch memory, files and threads; what follows is passed on.
///
/// With `--daemon` the calls go through the daemon's server, for an hour unless `--minutes` says otherwise.
///
/// Example: cargo xtask soak
/// Example: cargo xtask soak --daemon -- --minutes 10
#[derive(clap::Args)]
pub(super) struct Args {
    /// Soak the daemon instead of the sandbox alone.
    #[arg(long)]
    daemon: bool,
    /// Arguments of the soak run.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

pub(super) fn run(args: Args) -> Result<()> {
    let command = if args.daemon { "soak-daemon" } else { "soak" };
    run_benches(std::iter::once(OsString::from(command)).chain(args.arguments).collect())
}

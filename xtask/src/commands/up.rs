//! `cargo xtask up`

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Result, anyhow};

use super::build;

/// Build what is missing, then start the daemon in the foreground
///
/// What follows `--` is passed to `palyra up`.
///
/// Example: cargo xtask up
/// Example: cargo xtask up -- --listen 127.0.0.1:0 --state-root ./state
#[derive(clap::Args)]
pub(super) struct Args {
    /// Run the optimised build
    #[arg(long)]
    release: bool,

    /// Arguments of `palyra up`
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

pub(super) fn run(args: Args) -> Result<()> {
    let palyra = build::build(args.release)?;
    // Replaces this process, so that signals reach the daemon.
    let error = Command::new(&palyra).arg("up").args(args.arguments).exec();
    Err(anyhow!("cannot start `{}`: {error}", palyra.display()))
}

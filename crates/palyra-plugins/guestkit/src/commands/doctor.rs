//! The `guestkit doctor` command.

use std::path::PathBuf;

use palyra_plugins_guestkit::{GuestkitError, diagnose};

use super::{kit, output};

/// Say which guests could be built on this machine, and change nothing.
///
/// Example: guestkit doctor
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> Result<(), GuestkitError> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    output::show_findings(&diagnose(&kit()?, &here), args.json);
    Ok(())
}

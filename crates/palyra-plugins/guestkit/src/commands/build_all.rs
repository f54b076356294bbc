//! The `guestkit build-all` command.

use std::path::PathBuf;

use palyra_plugins_guestkit::{GuestkitError, build_guests, find_guests, project_root};

use super::{kit, output};

/// Build every guest of the project, or below some roots.
///
/// Example: guestkit build-all
#[derive(clap::Args)]
pub(super) struct Args {
    /// Where to look instead of examples/skills and tests/guests.
    #[arg(value_name = "ROOT")]
    roots: Vec<PathBuf>,
    /// Build even if nothing changed.
    #[arg(long)]
    force: bool,
    /// Print what was built as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> Result<(), GuestkitError> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let guests = find_guests(&project_root(&here), &args.roots)?;
    let built = build_guests(&kit()?, &guests, args.force)?;
    output::show_guests(&built, args.json);
    Ok(())
}

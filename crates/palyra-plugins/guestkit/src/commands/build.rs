//! The `guestkit build` command.

use std::path::PathBuf;

use palyra_plugins_guestkit::{BuildOptions, Guest, GuestkitError, build_guest};

use super::{kit, output};

/// Build guests from their directories.
///
/// Example: guestkit build examples/skills/notes-js
#[derive(clap::Args)]
pub(super) struct Args {
    /// Directories with a guest.toml.
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Write here instead of target/guests/NAME.wasm; for one guest only.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Build even if nothing changed.
    #[arg(long)]
    force: bool,
    /// Print what was built as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> Result<(), GuestkitError> {
    if args.out.is_some() && args.directories.len() > 1 {
        return Err(GuestkitError::OneFileForMany { guests: args.directories.len() });
    }
    let kit = kit()?;
    let options = BuildOptions { out: args.out, force: args.force };
    let mut built = Vec::new();
    for directory in &args.directories {
        built.push(build_guest(&kit, &Guest::read(directory)?, &options)?);
    }
    output::show_guests(&built, args.json);
    Ok(())
}

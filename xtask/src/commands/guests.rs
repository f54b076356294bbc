//! `cargo xtask guests`

use anyhow::Result;

use crate::{guest_builder, output};

/// Build every guest under examples/skills and tests/guests into target/guests.
///
/// Example: cargo xtask guests
#[derive(clap::Args)]
pub(super) struct Args {
    /// Build even if nothing changed.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    for guest in guest_builder::build_all(args.force)? {
        let state = if guest.from_cache { "unchanged" } else { "built" };
        output::line(&format!(
            "{:<16} {:<7} {:>10} bytes  {state}",
            guest.name,
            guest.language.to_string(),
            guest.size
        ));
    }
    Ok(())
}

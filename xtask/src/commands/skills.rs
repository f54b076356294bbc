//! `cargo xtask skills`

mod development_key;
mod package;

use std::path::Path;

use anyhow::{Context, Result};
use palyra_plugins_guestkit::BuiltGuest;

use crate::{guest_builder, output, project};

/// Build, package and sign every skill under examples/skills into target/skills.
///
/// The guests are built from source. They are signed with a development key that is made on first use and kept
/// in a vault under target/, for this machine only.
///
/// Example: cargo xtask skills
#[derive(clap::Args, Default)]
pub(super) struct Args {
    /// Build even if nothing changed.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    let skills = package::find_skills(&project::root())?;
    let guests = guest_builder::build_all(args.force)?;
    let key = development_key::open(&project::target().join("skills-key"))?;
    let directory = project::target().join("skills");
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot make `{}`", directory.display()))?;
    for skill in skills {
        let built = package::build(&skill, &guests, &key)?;
        let path = directory.join(format!("{}.palyra-skill", skill.name));
        package::write_whole(&path, &built.bytes)?;
        output::line(&format!(
            "{:<14} {:>10} bytes  sha256:{}",
            skill.name,
            built.bytes.len(),
            built.archive_digest
        ));
    }
    output::line(&format!("signed by {}", key.public().key_id()));
    output::line(&format!("written to {}", directory.display()));
    Ok(())
}

/// Packages and signs the skill in one directory of the project into `path`.
pub(super) fn package_directory(directory: &str, guests: &[BuiltGuest], path: &Path) -> Result<()> {
    let skill = package::read_skill(&project::root().join(directory).join("skill.toml"))?;
    let key = development_key::open(&project::target().join("skills-key"))?;
    package::write_whole(path, &package::build(&skill, guests, &key)?.bytes)
}

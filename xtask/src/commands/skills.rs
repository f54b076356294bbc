//! `cargo xtask skills`

mod development_key;
mod package;
mod packages;

use std::path::{Path, PathBuf};

use anyhow::Result;
use palyra_plugins_guestkit::BuiltGuest;

use crate::{guest_builder, output, project};
use packages::Packages;

/// Build, package and sign every skill under examples/skills into target/skills
///
/// The guests are built from source. They are signed with a development key that is made on first use and kept
/// in a vault under target/, for this machine only. A package whose source did not change is left as it is.
///
/// Example: cargo xtask skills
#[derive(clap::Args, Default)]
pub(super) struct Args {
    /// Build even if nothing changed
    #[arg(long)]
    force: bool,

    /// Also write the small packages that are committed for a plain `cargo build`
    #[arg(long)]
    commit_small: bool,
}

/// Skills whose packages are committed, because they are small.
const SMALL: [&str; 2] = ["counter-wat", "wordcount-c"];

pub(super) fn run(args: Args) -> Result<()> {
    let directory = build_all(args.force)?;
    if args.commit_small {
        let committed = committed_directory();
        Packages::read(&directory)?.copy(&SMALL, &committed)?;
        output::line(&format!("committed packages written to {}", committed.display()));
    }
    Ok(())
}

/// Builds every example skill; returns the directory of the packages.
pub(super) fn build_all(force: bool) -> Result<PathBuf> {
    let skills = package::find_skills(&project::root())?;
    let guests = guest_builder::build_examples(force)?;
    let directory = project::target().join("skills");
    let mut packages = Packages::read(&directory)?;
    let mut key = None;
    for skill in &skills {
        let modules = package::read_modules(skill, &guests)?;
        let source = package::source_digest(skill, &modules);
        let unchanged = !force && packages.is_current(&skill.name, &source);
        if !unchanged {
            let key = match &mut key {
                Some(key) => key,
                none => none.insert(development_key::open(&project::target().join("skills-key"))?),
            };
            packages.put(&skill.name, &source, &package::build(skill, &modules, key)?)?;
        }
        output::line(&packages.describe(&skill.name, unchanged));
    }
    packages.finish(skills.iter().map(|skill| skill.name.as_str()))?;
    output::line(&format!("packages are in {}", directory.display()));
    Ok(directory)
}

/// Packages and signs the skill in a directory of the project; writes the package to `path`.
pub(super) fn package_directory(directory: &str, guests: &[BuiltGuest], path: &Path) -> Result<()> {
    let skill = package::read_skill(&project::root().join(directory).join("skill.toml"))?;
    let key = development_key::open(&project::target().join("skills-key"))?;
    let modules = package::read_modules(&skill, guests)?;
    package::write_whole(path, &package::build(&skill, &modules, &key)?.bytes)
}

/// Returns the directory with the committed small packages.
fn committed_directory() -> PathBuf {
    project::root().join("crates/palyra-built-in-skills/packages")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requires `cargo xtask guests`, like the tests of the workspace.
    #[test]
    fn committed_packages_are_what_their_source_builds() {
        let committed = Packages::read(&committed_directory()).unwrap();
        assert_eq!(committed.names(), SMALL);
        for name in SMALL {
            let manifest = project::root().join("examples/skills").join(name).join("skill.toml");
            let skill = package::read_skill(&manifest).unwrap();
            let module = project::target().join("guests").join(format!("{name}.wasm"));
            let bytes = std::fs::read(&module).unwrap_or_else(|error| {
                panic!("run `cargo xtask guests` first: {}: {error}", module.display())
            });
            let modules = vec![(format!("modules/{name}.wasm"), bytes)];
            let home = tempfile::tempdir().unwrap();
            let key = development_key::open(&home.path().join("key")).unwrap();
            let built = package::build(&skill, &modules, &key).unwrap();
            assert_eq!(
                committed.payload(name),
                Some(built.payload.to_string().as_str()),
                "{name} has drifted: run `cargo xtask skills --commit-small` and commit the packages"
            );
            let package = committed_directory().join(format!("{name}.palyra-skill"));
            let package = palyra_skills::SkillArtifact::read(std::fs::read(package).unwrap().into()).unwrap();
            assert_eq!(package.payload_digest(), built.payload, "{name}: the list and the package differ");
        }
    }
}

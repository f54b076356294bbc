//! `cargo xtask eyes`

use anyhow::{Context, Result};

use super::skills;
use crate::{project, shell};

/// Look at every example skill with programs that are not ours.
///
/// CPython's zipfile, Info-ZIP, Java's jar and npm's yauzl must list the same entries; securesystemslib must verify
/// the envelope and cyclonedx-python-lib the bill of materials. The skills are built first; what is needed beyond
/// `python3`, `npm`, `node`, `unzip` and `jar` is installed into target/eyes.
///
/// Example: cargo xtask eyes
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> Result<()> {
    skills::build_all(false)?;
    let scripts = project::root().join("scripts/independent-eyes");
    let tools = project::target().join("eyes");
    let mut install = shell::command("sh");
    install.arg(scripts.join("install.sh")).arg(&tools);
    shell::run(install)?;
    let mut check = shell::command(tools.join("venv/bin/python"));
    check.arg(scripts.join("check.py")).arg("--tools").arg(&tools).arg("--require-all").args(artifacts()?);
    shell::run(check)
}

/// Returns the packages that `cargo xtask skills` built.
fn artifacts() -> Result<Vec<std::path::PathBuf>> {
    let directory = project::target().join("skills");
    let entries = std::fs::read_dir(&directory)
        .with_context(|| format!("cannot read `{}`", directory.display()))?
        .collect::<Result<Vec<_>, _>>()?;
    let mut artifacts: Vec<_> = entries.iter().map(std::fs::DirEntry::path).collect();
    artifacts.retain(|path| path.extension().is_some_and(|extension| extension == "palyra-skill"));
    artifacts.sort();
    anyhow::ensure!(!artifacts.is_empty(), "no skill in `{}`", directory.display());
    Ok(artifacts)
}

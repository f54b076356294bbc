//! `cargo xtask reproduce`

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{output, shell};

/// Build every example skill twice, in different directories, and compare the payload digests
///
/// It builds what git has in its index, without any guest that was built before. Python guests may differ: their
/// tool freezes a running interpreter together with the times of the files it had read.
///
/// Example: cargo xtask reproduce
#[derive(clap::Args)]
pub(super) struct Args {}

/// Skills whose modules hold traces of the machine they were built on.
const SNAPSHOTS: [&str; 1] = ["stats-python"];

pub(super) fn run(_args: Args) -> Result<()> {
    // Outside of the project, because cargo searches all parent directories for a workspace.
    let base = tempfile::tempdir().context("cannot create a temporary directory")?;
    // Paths of different lengths: a path in a guest would also move the bytes after it.
    let first = payloads(&base.path().join("one"))?;
    let second = payloads(&base.path().join("another/directory/with/a/longer/path"))?;
    let mut differ = Vec::new();
    for (one, other) in first.lines().zip(second.lines()) {
        let name = one.rsplit(' ').next().unwrap_or_default();
        let snapshot = SNAPSHOTS.contains(&name);
        let state = match (one == other, snapshot) {
            (true, _) => "same",
            (false, true) => "differs: a snapshot of an interpreter",
            (false, false) => "DIFFERS",
        };
        output::line(&format!("{one}  {state}"));
        if one != other && !snapshot {
            differ.push(name);
        }
    }
    if differ.is_empty() && first.lines().count() == second.lines().count() {
        Ok(())
    } else {
        bail!("the payload digests differ: {}", differ.join(", "))
    }
}

/// Builds a fresh copy of the project; returns its list of payload digests.
fn payloads(directory: &Path) -> Result<String> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create `{}`", directory.display()))?;
    let mut checkout = shell::command("git");
    checkout.args(["checkout-index", "--all", &format!("--prefix={}/", directory.display())]);
    shell::run(checkout)?;
    let mut build = Command::new(std::env::current_exe().context("cannot find this program")?);
    build.args(["skills", "--force"]).current_dir(directory);
    build
        .env("CARGO_MANIFEST_DIR", directory.join("xtask"))
        .env("CARGO_TARGET_DIR", directory.join("target"));
    shell::run(build)?;
    let list = directory.join("target/skills/payloads.txt");
    std::fs::read_to_string(&list).with_context(|| format!("cannot read `{}`", list.display()))
}

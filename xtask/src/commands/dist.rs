//! `cargo xtask dist`

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};

use super::build;
use crate::{output, project, shell};

/// Build an archive to install from: the optimised program under both names, licences and a checksum
///
/// Example: cargo xtask dist
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> Result<()> {
    let palyra = build::build(true)?;
    let name =
        format!("palyra-{}-{}-{}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
    let directory = project::target().join("dist");
    let folder = directory.join(&name);
    lay_out(&palyra, &folder).with_context(|| format!("cannot write `{}`", folder.display()))?;
    let archive = format!("{name}.tar.gz");
    let mut tar = shell::command("tar");
    tar.current_dir(&directory).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf"]);
    tar.args([&archive, &name]);
    shell::run(tar)?;
    let mut sums = shell::command("sh");
    sums.current_dir(&directory).args(["-c", "sha256sum \"$1\" > SHA256SUMS", "sh", &archive]);
    shell::run(sums)?;
    output::line(&format!("written to {}", directory.join(archive).display()));
    Ok(())
}

/// One program, two names.
fn lay_out(palyra: &Path, folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let binaries = folder.join("bin");
    fs::create_dir_all(&binaries)?;
    fs::copy(palyra, binaries.join("palyra"))?;
    symlink("palyra", binaries.join("palyrad"))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"] {
        fs::copy(project::root().join(file), folder.join(file))?;
    }
    Ok(())
}

//! `cargo xtask dist`

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::build;
use crate::{output, project, shell};

/// Build an archive to install from, with a checksum beside it
///
/// It has the optimised program under both names, the example packages, shell completions, manual pages, the documents
/// and the licences.
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

/// Creates the release directory: one program under two names, with its documents.
fn lay_out(palyra: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let binaries = folder.join("bin");
    fs::create_dir_all(&binaries)?;
    fs::copy(palyra, binaries.join("palyra"))?;
    symlink("palyra", binaries.join("palyrad"))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md", "SECURITY.md"] {
        fs::copy(project::root().join(file), folder.join(file))?;
    }
    copy_files(&project::root().join("docs"), "md", &folder.join("docs"))?;
    copy_files(&project::target().join("skills"), "palyra-skill", &folder.join("examples"))?;
    write_completions(palyra, &folder.join("completions"))?;
    let mut manual = Command::new(palyra);
    manual.args(["man", "--out"]).arg(folder.join("man/man1"));
    shell::run(manual)
}

/// Copies the files in a folder with this extension.
fn copy_files(from: &Path, extension: &str, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read `{}`", from.display()))? {
        let path = entry?.path();
        if let Some(name) =
            path.file_name().filter(|_| path.extension().is_some_and(|found| found == extension))
        {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// Writes the completions to files with the names that each shell expects.
fn write_completions(palyra: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for (shell, file) in [("bash", "palyra"), ("zsh", "_palyra"), ("fish", "palyra.fish")] {
        let output = Command::new(palyra).args(["completions", shell]).output()?;
        ensure!(output.status.success(), "`palyra completions {shell}` failed with {}", output.status);
        fs::write(folder.join(file), output.stdout)?;
    }
    Ok(())
}

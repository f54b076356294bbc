//! Chromium from the Debian package.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{output, shell};

const NAMES: [&str; 2] = ["chromium", "chromium-browser"];

/// Returns the path of Chromium, which is installed if it is missing.
pub(super) fn find_or_install() -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    output::say("installing Chromium");
    install().context("install Debian's package `chromium`, then run this command again")?;
    find().context("the package `chromium` installed no program `chromium` on the PATH")
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let named = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    NAMES.into_iter().find_map(named)
}

/// Installs Chromium as root, or through sudo if that requires no password.
fn install() -> Result<()> {
    shell::run(apt_get(&["update", "-qq"]))?;
    shell::run(apt_get(&["install", "-y", "-qq", "--no-install-recommends", "chromium"]))
}

fn apt_get(arguments: &[&str]) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let mut command = if is_root || !Path::new("/usr/bin/sudo").exists() {
        shell::command("apt-get")
    } else {
        let mut sudo = shell::command("sudo");
        sudo.args(["-n", "apt-get"]);
        sudo
    };
    command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
    command
}

//! Runs npm and the scripts of `apps/web`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use super::fingerprint;
use crate::{project, shell};

/// Minimum version of Node.js for the tools of the console.
const MIN_NODE: (u64, u64) = (20, 19);

pub(super) fn directory() -> PathBuf {
    project::root().join("apps/web")
}

pub(super) fn exists() -> bool {
    directory().join("package.json").is_file()
}

/// An npm with a sufficiently recent Node.js.
pub(super) struct Npm(());

impl Npm {
    pub(super) fn find() -> Result<Self> {
        let (major, minor) = MIN_NODE;
        let missing = || anyhow!("Node.js {major}.{minor} or later and npm are required");
        let asked = Command::new("node").arg("--version").output().map_err(|_| missing())?;
        let version = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
        let npm = Command::new("npm").arg("--version").output().is_ok_and(|npm| npm.status.success());
        if npm && parse_version(&version).is_some_and(|found| found >= MIN_NODE) {
            Ok(Self(()))
        } else {
            Err(missing().context(format!("Node.js here is `{version}`")))
        }
    }

    /// Installs the dependencies of the lock file, unless they are installed.
    pub(super) fn install(&self) -> Result<()> {
        let (modules, stamp) = (directory().join("node_modules"), project::target().join("web/installed"));
        let lock = fingerprint::of_files(&[directory().join("package-lock.json")])?;
        if modules.is_dir() && fingerprint::is(&stamp, &lock) {
            return Ok(());
        }
        let mut install = npm();
        install.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
        shell::run(install)?;
        fingerprint::write(&stamp, &lock)
    }

    pub(super) fn run_if_defined(&self, script: &str) -> Result<()> {
        if self.defines(script)? { self.run(script, |_| {}) } else { Ok(()) }
    }

    pub(super) fn run(&self, script: &str, set: impl FnOnce(&mut Command)) -> Result<()> {
        let mut run = npm();
        run.args(["run", "--silent", script]);
        set(&mut run);
        shell::run(run)
    }

    /// Returns whether `package.json` defines this script.
    pub(super) fn defines(&self, script: &str) -> Result<bool> {
        let path = directory().join("package.json");
        let text = std::fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let package: Value = serde_json::from_slice(&text).context("apps/web/package.json is not JSON")?;
        Ok(package["scripts"][script].is_string())
    }
}

fn npm() -> Command {
    let mut npm = shell::command("npm");
    npm.current_dir(directory());
    npm
}

fn parse_version(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.strip_prefix('v')?.split('.').map(|number| number.parse::<u64>().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(parse_version("v20.19.0").is_some_and(|version| version >= MIN_NODE));
        assert!(parse_version("v24.1.0").is_some_and(|version| version >= MIN_NODE));
        assert!(parse_version("v20.9.0").is_some_and(|version| version < MIN_NODE));
        assert_eq!((parse_version("20.19.0"), parse_version("")), (None, None));
    }
}

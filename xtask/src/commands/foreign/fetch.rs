//! Downloads packages with the usual clients, verifies and unpacks them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::packages::{Client, Package};
use crate::{output, project, shell};

/// Unpacks exactly these packages below `target/foreign/unpacked`, each in its own directory.
pub(super) fn fetch_all(packages: &[Package]) -> Result<()> {
    let foreign = project::root().join("target/foreign");
    let (archives, unpacked) = (foreign.join("archives"), foreign.join("unpacked"));
    fs::create_dir_all(&archives).context("cannot create a directory for archives")?;
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).context("cannot remove earlier unpacked files")?;
    }
    for package in packages {
        let archive = archives.join(package.archive());
        if !archive.exists() {
            fetch(package, &archive)?;
        }
        check(package, &archive)?;
        unpack(&archive, &unpacked.join(package.label()))?;
    }
    output::say(&format!("{} packages match their pinned hashes", packages.len()));
    Ok(())
}

fn fetch(package: &Package, archive: &Path) -> Result<()> {
    let wanted = format!("{}@{}", package.name, package.version);
    match package.client {
        Client::Cargo => {
            // `info` downloads only the package itself, without its dependencies.
            let mut info = shell::cargo();
            info.args(["info", "--quiet", "--registry", "crates-io", &wanted])
                .stdout(std::process::Stdio::null());
            shell::run(info)?;
            let cached = cached_crate(&package.archive())?;
            fs::copy(&cached, archive).with_context(|| format!("cannot copy {}", cached.display()))?;
            Ok(())
        }
        Client::Npm => {
            let mut pack = shell::command("npm");
            pack.args(["pack", "--silent", &wanted, "--pack-destination"]).args(archive.parent());
            shell::run(pack)
        }
    }
}

/// Returns the path of a downloaded crate in cargo's cache, which has one directory per registry.
fn cached_crate(name: &str) -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let cache = home.context("cannot find a home directory")?.join("registry/cache");
    let registries = fs::read_dir(&cache).with_context(|| format!("cannot read {}", cache.display()))?;
    let mut found =
        registries.flatten().map(|registry| registry.path().join(name)).filter(|path| path.is_file());
    found.next().with_context(|| format!("cargo did not store `{name}` in {}", cache.display()))
}

fn check(package: &Package, archive: &Path) -> Result<()> {
    let bytes = fs::read(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    let found = hex::encode(Sha256::digest(bytes));
    if found != package.sha256 {
        bail!("`{}` has the SHA-256 {found}, but {} is pinned", package.archive(), package.sha256);
    }
    Ok(())
}

fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).context("cannot create a directory for a package")?;
    let mut tar = shell::command("tar");
    // Both kinds of archive contain one folder at their root.
    tar.arg("-xzf").arg(archive).arg("-C").arg(folder).arg("--strip-components=1");
    shell::run(tar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_with_another_digest_is_refused() {
        let folder = project::root().join("target/tmp");
        fs::create_dir_all(&folder).unwrap();
        let archive = folder.join(format!("foreign-check-{}", std::process::id()));
        fs::write(&archive, "something else").unwrap();
        let refused = check(&super::super::packages::PACKAGES[0], &archive).unwrap_err().to_string();
        fs::remove_file(&archive).unwrap();
        assert!(refused.contains("wac-cli-0.12.0.crate") && refused.contains("is pinned"), "{refused}");
    }
}

//! Detects whether something was built from the current sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Directories with build results, which are not sources.
const MADE: [&str; 6] =
    ["node_modules", "dist", "coverage", "test-results", "playwright-report", ".playwright"];

/// Returns the fingerprint of every source below a directory, and of other files.
pub(super) fn of(directory: &Path, others: &[PathBuf]) -> Result<String> {
    let mut files = Vec::new();
    collect(directory, &mut files)?;
    files.sort();
    files.extend_from_slice(others);
    of_files(&files)
}

pub(super) fn of_files(files: &[PathBuf]) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        hash.update(file.as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update(Sha256::digest(bytes));
    }
    Ok(hex::encode(hash.finalize()))
}

/// Returns whether a stamp has this fingerprint.
pub(super) fn is(stamp: &Path, fingerprint: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|found| found == fingerprint)
}

pub(super) fn write(stamp: &Path, fingerprint: &str) -> Result<()> {
    let made = stamp.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(stamp, fingerprint));
    made.with_context(|| format!("cannot write `{}`", stamp.display()))
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot read `{}`", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        match entry.file_type()?.is_dir() {
            true if MADE.iter().any(|made| name == *made) => {}
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_follows_sources_and_ignores_what_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("src")).unwrap();
        fs::create_dir_all(path("dist")).unwrap();
        fs::write(path("src/main.ts"), "one").unwrap();
        let before = of(folder.path(), &[]).unwrap();
        fs::write(path("dist/index.html"), "made").unwrap();
        assert_eq!(of(folder.path(), &[]).unwrap(), before);
        write(&path("target/stamp"), &before).unwrap();
        assert!(is(&path("target/stamp"), &before));
        fs::write(path("src/main.ts"), "two").unwrap();
        assert!(!is(&path("target/stamp"), &of(folder.path(), &[]).unwrap()));
    }
}

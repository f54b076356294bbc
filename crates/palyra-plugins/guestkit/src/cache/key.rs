//! The content hash of all inputs of a guest.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::GuestkitError;

/// Directories that builds and editors create, which are never inputs.
const NOT_INPUTS: &[&str] = &["target", "node_modules", "__pycache__", ".git"];

/// Files of a skill that are not sources of its guest: the manifest, tests and built modules.
const NOT_SOURCES: &[&str] = &["modules", "tests", "skill.toml"];
const PACKAGE: &str = "palyra-skill";

/// A SHA-256 over labelled, length-prefixed values, so that different lists of inputs never have the same hash.
pub(crate) struct InputHasher(Sha256);

impl InputHasher {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(crate) fn add(&mut self, label: &str, value: &[u8]) {
        for part in [label.as_bytes(), value] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    pub(crate) fn add_file(&mut self, label: &str, path: &Path) -> Result<(), GuestkitError> {
        let bytes = std::fs::read(path).map_err(GuestkitError::file("read", path))?;
        self.add(label, &bytes);
        Ok(())
    }

    /// Adds every source below `directory`, by relative path and content.
    pub(crate) fn add_directory(&mut self, directory: &Path) -> Result<(), GuestkitError> {
        for path in sources_below(directory)? {
            let relative = path.strip_prefix(directory).unwrap_or(&path);
            self.add_file(&relative.to_string_lossy(), &path)?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}

/// Returns the files from which a guest or package in `directory` can be built, in a fixed order.
pub(crate) fn sources_below(directory: &Path) -> Result<Vec<PathBuf>, GuestkitError> {
    let is_source = |path: &PathBuf| {
        let top = path.strip_prefix(directory).ok().and_then(|path| path.components().next());
        let left_out = top.is_some_and(|top| NOT_SOURCES.iter().any(|name| top.as_os_str() == *name));
        !left_out && path.extension().is_none_or(|extension| extension != PACKAGE)
    };
    let mut files = files_below(directory)?;
    files.retain(is_source);
    Ok(files)
}

/// Returns the files below `directory` in a fixed order, without build outputs.
///
/// A link to a file counts as the file; a link to a directory is not followed, so cycles end.
pub(crate) fn files_below(directory: &Path) -> Result<Vec<PathBuf>, GuestkitError> {
    let mut files = Vec::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(current) = waiting.pop() {
        let listing = std::fs::read_dir(&current).map_err(GuestkitError::file("list", &current))?;
        for entry in listing {
            let entry = entry.map_err(GuestkitError::file("list", &current))?;
            let kind = entry.file_type().map_err(GuestkitError::file("examine", &entry.path()))?;
            if NOT_INPUTS.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[(&str, &str)]) -> String {
        let mut hasher = InputHasher::new();
        for (label, value) in parts {
            hasher.add(label, value.as_bytes());
        }
        hasher.finish()
    }

    #[test]
    fn values_do_not_run_together() {
        assert_eq!(key(&[("a", "b")]), key(&[("a", "b")]));
        assert_ne!(key(&[("a", "b")]), key(&[("ab", "")]));
        assert_ne!(key(&[("a", "b"), ("c", "d")]), key(&[("a", "bcd")]));
        assert_ne!(key(&[("a", "b"), ("c", "d")]), key(&[("c", "d"), ("a", "b")]));
    }

    fn directory_key(directory: &Path) -> String {
        let mut hasher = InputHasher::new();
        hasher.add_directory(directory).unwrap();
        hasher.finish()
    }

    #[test]
    fn a_directory_changes_its_key_with_content_and_names_but_not_with_leftovers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        std::fs::create_dir_all(path.join("src")).unwrap();
        std::fs::write(path.join("src/a.c"), "one").unwrap();
        let first = directory_key(path);
        assert_eq!(directory_key(path), first);

        std::fs::create_dir_all(path.join("target/debug")).unwrap();
        std::fs::write(path.join("target/debug/x"), "x").unwrap();
        std::fs::create_dir_all(path.join("src/__pycache__")).unwrap();
        std::fs::write(path.join("src/__pycache__/x.pyc"), "x").unwrap();
        for name in ["modules/a.wasm", "tests/a.json", "skill.toml", "a.palyra-skill"] {
            std::fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
            std::fs::write(path.join(name), "x").unwrap();
        }
        assert_eq!(directory_key(path), first);

        std::fs::write(path.join("src/a.c"), "two").unwrap();
        let changed = directory_key(path);
        assert_ne!(changed, first);
        std::fs::rename(path.join("src/a.c"), path.join("src/b.c")).unwrap();
        assert_ne!(directory_key(path), changed);
    }

    #[test]
    fn a_cycle_of_links_ends() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a"), "a").unwrap();
        std::os::unix::fs::symlink(directory.path(), directory.path().join("again")).unwrap();
        assert_eq!(files_below(directory.path()).unwrap(), [directory.path().join("a")]);
    }
}

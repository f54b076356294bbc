//! Waits until a file of the skill changes, by polling all files a few times per second.

use crate::error::CliError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Interval between two checks.
const INTERVAL: Duration = Duration::from_millis(300);
/// Directories of build results and tools, which are not watched.
const LEFT_OUT: [&str; 5] = ["modules", "target", "node_modules", "__pycache__", ".git"];
/// Maximum number of files; a directory with more is not that of a skill.
const MAX_FILES: usize = 20_000;

/// Modification time and length of each file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snapshot(BTreeMap<PathBuf, (Option<SystemTime>, u64)>);

impl Snapshot {
    /// Reads the state of every relevant file.
    pub(super) fn take(directory: &Path) -> Result<Self, CliError> {
        let cannot = |error: io::Error| CliError::unusable_place("directory", directory, &error);
        let mut files = BTreeMap::new();
        let mut open = vec![directory.to_path_buf()];
        while let Some(folder) = open.pop() {
            let entries = match folder.read_dir() {
                // The file was removed after it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder != directory => continue,
                entries => entries.map_err(cannot)?,
            };
            for entry in entries {
                let entry = entry.map_err(cannot)?;
                let left_out = LEFT_OUT.iter().any(|name| entry.file_name() == *name);
                let path = entry.path();
                let Ok(metadata) = entry.metadata() else { continue };
                if left_out || path.extension().is_some_and(|extension| extension == "palyra-skill") {
                    continue;
                } else if metadata.is_dir() {
                    open.push(path);
                } else if metadata.is_file() {
                    files.insert(path, (metadata.modified().ok(), metadata.len()));
                }
                if files.len() + open.len() > MAX_FILES {
                    let message = format!("`{}` has more than {MAX_FILES} files", directory.display());
                    return Err(CliError::usage_with_hint(message, "name the directory of one skill"));
                }
            }
        }
        Ok(Self(files))
    }

    /// Returns the first file that differs, relative to the directory.
    fn first_difference(&self, later: &Self, directory: &Path) -> Option<String> {
        let changed = later.0.iter().find(|(path, state)| self.0.get(*path) != Some(*state));
        let removed = self.0.keys().find(|path| !later.0.contains_key(*path));
        let path = changed.map(|(path, _)| path).or(removed)?;
        Some(path.strip_prefix(directory).unwrap_or(path).display().to_string())
    }
}

/// Waits for a change, and then until the files are stable: editors write several files, or one in steps.
pub(super) async fn next_change(directory: &Path, before: Snapshot) -> Result<String, CliError> {
    loop {
        tokio::time::sleep(INTERVAL).await;
        let mut now = Snapshot::take(directory)?;
        if let Some(changed) = before.first_difference(&now, directory) {
            loop {
                tokio::time::sleep(INTERVAL).await;
                let later = Snapshot::take(directory)?;
                if later == now {
                    return Ok(changed);
                }
                now = later;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn sources_are_seen_and_results_are_not() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/a.c", "one");
        let first = Snapshot::take(home.path()).unwrap();
        write("modules/a.wasm", "x");
        write("a.palyra-skill", "x");
        let second = Snapshot::take(home.path()).unwrap();
        assert_eq!(first.first_difference(&second, home.path()), None);
        write("src/a.c", "longer");
        let third = Snapshot::take(home.path()).unwrap();
        assert_eq!(second.first_difference(&third, home.path()).as_deref(), Some("src/a.c"));
        std::fs::remove_file(home.path().join("src/a.c")).unwrap();
        let fourth = Snapshot::take(home.path()).unwrap();
        assert_eq!(third.first_difference(&fourth, home.path()).as_deref(), Some("src/a.c"));
    }
}

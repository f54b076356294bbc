//! Tools that are installed once, into a directory that is created atomically.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Cache;
use super::tidy::{LEFT_BEHIND_FOR, remove_old};
use crate::error::GuestkitError;

const UNFINISHED: &str = "unfinished-";

impl Cache {
    /// Returns the directory of tool `name`; `fill` creates it if it is missing or no longer `usable`.
    ///
    /// `fill` works in a directory beside the final one, so the files it installs must not depend on their own path.
    pub(crate) fn install(
        &self,
        name: &str,
        say: &dyn Fn(&str),
        usable: impl Fn(&Path) -> bool,
        fill: impl FnOnce(&Path) -> Result<(), GuestkitError>,
    ) -> Result<PathBuf, GuestkitError> {
        let tools = self.directory("tools")?;
        let finished = tools.join(name);
        if usable(&finished) {
            return Ok(finished);
        }
        let _lock = self.lock(name, say)?;
        if usable(&finished) {
            return Ok(finished);
        }
        if finished.exists() {
            std::fs::remove_dir_all(&finished).map_err(GuestkitError::file("remove", &finished))?;
        }
        remove_old(&tools, UNFINISHED, LEFT_BEHIND_FOR, SystemTime::now());
        let unfinished = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&tools)
            .map_err(GuestkitError::file("create a directory in", &tools))?;
        fill(unfinished.path())?;
        std::fs::rename(unfinished.path(), &finished).map_err(GuestkitError::file("create", &finished))?;
        // The directory was renamed, so removing it when the guard is dropped would fail.
        let _ = unfinished.keep();
        Ok(finished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_tool(content: &'static str) -> impl FnOnce(&Path) -> Result<(), GuestkitError> {
        move |directory| {
            std::fs::write(directory.join("tool"), content).map_err(GuestkitError::file("write", directory))
        }
    }

    fn has_tool(directory: &Path) -> bool {
        directory.join("tool").is_file()
    }

    #[test]
    fn a_tool_is_filled_once_and_again_when_it_broke() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::new(root.path().to_path_buf());
        let first = cache.install("t", &|_| {}, has_tool, write_tool("one")).unwrap();
        cache.install("t", &|_| {}, has_tool, write_tool("two")).unwrap();
        assert_eq!(std::fs::read_to_string(first.join("tool")).unwrap(), "one");
        std::fs::remove_file(first.join("tool")).unwrap();
        cache.install("t", &|_| {}, has_tool, write_tool("three")).unwrap();
        assert_eq!(std::fs::read_to_string(first.join("tool")).unwrap(), "three");
    }

    #[test]
    fn a_failed_fill_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::new(root.path().to_path_buf());
        let failed = cache.install("t", &|_| {}, has_tool, |directory| {
            std::fs::write(directory.join("half"), "").unwrap();
            Err(GuestkitError::NoExports)
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_dir(root.path().join("tools")).unwrap().count(), 0);
    }
}

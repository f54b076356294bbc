//! Directories of the project.

use std::path::{Path, PathBuf};

/// Returns the root of the project: the directory above this crate.
///
/// Cargo sets the directory of the crate when it runs this program; a binary started directly uses the directory it was
/// built in.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    manifest.parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// Returns the directory of build results.
pub(crate) fn target() -> PathBuf {
    // Commands run in the root, so a relative path is relative to it.
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// Returns the directory with cargo's results in the dev profile.
pub(crate) fn built() -> PathBuf {
    built_in(false)
}

/// Returns the directory with cargo's results in the release or dev profile.
pub(crate) fn built_in(release: bool) -> PathBuf {
    target().join(if release { "release" } else { "debug" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }
}

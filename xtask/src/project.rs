//! Where the project is.

use std::path::{Path, PathBuf};

/// The project's root: the directory above this crate.
///
/// Cargo says where the crate is when it runs us; a binary started by hand falls back to where it was built.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    manifest.parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// The directory of everything that can be made again.
pub(crate) fn target() -> PathBuf {
    // Commands run in the root, and what is relative there is relative to it.
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// The directory that holds what cargo built in the dev profile.
pub(crate) fn built() -> PathBuf {
    built_in(false)
}

/// The directory that holds what cargo built, in the release profile or in the dev profile.
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

//! Makes the bytes of Rust guests independent of the location of the project.
//!
//! For a path dependency outside of the guest's workspace, such as the guest library, cargo derives `-C metadata` from
//! its absolute path. It becomes part of symbol names, which determine the order in which functions are emitted. A
//! wrapper around rustc replaces it for packages of the project.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::cache::write_whole;
use crate::error::GuestkitError;
use crate::kit::Kit;

/// The environment variable that passes the project directory to the wrapper.
pub(super) const PROJECT: &str = "PALYRA_GUEST_PROJECT";

/// The script of the wrapper, an input of every guest that it is used for.
pub(super) const SCRIPT: &str = r#"#!/bin/sh
# Replaces the path-dependent `-C metadata` of packages in the project by their name and version.
rustc=$1
shift
case "$CARGO_MANIFEST_DIR" in
"$PALYRA_GUEST_PROJECT"/*) ;;
*) exec "$rustc" "$@" ;;
esac
left=$#
while [ "$left" -gt 0 ]; do
    argument=$1
    shift
    left=$((left - 1))
    case "$argument" in
    metadata=*) argument="metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION" ;;
    esac
    set -- "$@" "$argument"
done
exec "$rustc" "$@"
"#;

/// Writes the wrapper to the cache and returns its path.
pub(super) fn rustc_wrapper(kit: &Kit) -> Result<PathBuf, GuestkitError> {
    let path = kit.cache().directory("tools")?.join("rustc-stable-metadata");
    if !is_written(&path) {
        write_whole(&path, SCRIPT.as_bytes())?;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755))
            .map_err(GuestkitError::file("change the mode of", &path))?;
    }
    Ok(path)
}

fn is_written(path: &Path) -> bool {
    let runs = std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0);
    runs && std::fs::read_to_string(path).is_ok_and(|text| text == SCRIPT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust_route::WantedRoute;
    use std::process::Command;

    /// Returns the arguments that the wrapper passes to a compiler that only prints them.
    fn handed_on(manifest_directory: &str) -> String {
        let cache = tempfile::tempdir().unwrap();
        let kit = Kit::new(cache.path().to_path_buf(), WantedRoute::Auto, |_| {});
        let wrapper = rustc_wrapper(&kit).unwrap();
        let ran = Command::new(wrapper)
            .args(["echo", "--crate-name", "sdk", "-C", "metadata=0123", "-C", "extra-filename=-45", "a b"])
            .env("CARGO_MANIFEST_DIR", manifest_directory)
            .env("CARGO_PKG_NAME", "sdk")
            .env("CARGO_PKG_VERSION", "0.1.0")
            .env(PROJECT, "/project")
            .output()
            .unwrap();
        String::from_utf8(ran.stdout).unwrap()
    }

    #[test]
    fn metadata_of_a_package_in_the_project_does_not_depend_on_its_path() {
        let expected = "--crate-name sdk -C metadata=sdk-0.1.0 -C extra-filename=-45 a b\n";
        assert_eq!(handed_on("/project/crates/sdk"), expected);
    }

    #[test]
    fn metadata_of_other_packages_is_left_alone() {
        let expected = "--crate-name sdk -C metadata=0123 -C extra-filename=-45 a b\n";
        assert_eq!(handed_on("/home/registry/sdk"), expected);
    }
}

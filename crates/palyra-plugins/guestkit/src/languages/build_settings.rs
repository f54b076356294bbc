//! Settings of the surrounding build that must not leak into a guest's build.

use std::process::Command;

/// Variables that steer cargo or rustc, by the start of their names.
///
/// `CARGO_HOME` and the network and registry settings are kept: they determine where crates come from.
const PREFIXES: &[&str] =
    &["CARGO_PROFILE_", "CARGO_TARGET_", "CARGO_BUILD_", "CARGO_PKG_", "CARGO_BIN_", "RUSTC"];

const NAMES: &[&str] = &[
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_MAKEFLAGS",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PRIMARY_PACKAGE",
    "CARGO_CRATE_NAME",
    "MAKEFLAGS",
    "OUT_DIR",
    "RUSTDOC",
    "RUSTFLAGS",
];

/// Removes the settings of an enclosing cargo or the user's shell from `command`.
pub(crate) fn without_build_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_build_setting) {
            command.env_remove(&name);
        }
    }
    command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
    command
}

fn is_build_setting(name: &str) -> bool {
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_build_go_and_the_place_of_crates_stays() {
        for name in [
            "RUSTFLAGS",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_BOOTSTRAP",
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_DIR",
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_MANIFEST_DIR",
        ] {
            assert!(is_build_setting(name), "{name}");
        }
        for name in
            ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_HTTP_CAINFO", "CARGO_REGISTRIES_MINE_INDEX", "PATH"]
        {
            assert!(!is_build_setting(name), "{name}");
        }
    }
}

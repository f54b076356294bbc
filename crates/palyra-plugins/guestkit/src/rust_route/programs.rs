//! The Rust programs on PATH and their capabilities.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::TARGET;
use crate::process::{find_program, run};

const QUERY_LIMIT: Duration = Duration::from_secs(60);

/// The Rust programs that are found from a guest's directory.
pub(crate) struct Programs {
    pub(crate) cargo: Option<PathBuf>,
    pub(crate) rustc: Option<PathBuf>,
    pub(crate) rustup: Option<PathBuf>,
    /// Their working directory, from which rustup's proxies look for a toolchain file.
    pub(crate) directory: PathBuf,
}

impl Programs {
    pub(crate) fn on_path(directory: &Path) -> Self {
        Self {
            cargo: find_program("cargo"),
            rustc: find_program("rustc"),
            rustup: find_program("rustup"),
            directory: directory.to_path_buf(),
        }
    }
}

/// Returns whether `rustc` has a standard library for the guest target.
pub(crate) fn has_standard_library(rustc: &Path, directory: &Path) -> bool {
    let Some(library) = ask(rustc, directory, &["--print", "target-libdir", "--target", TARGET]) else {
        return false;
    };
    let Ok(entries) = std::fs::read_dir(library.trim()) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

/// Returns the output of `program`, run in `directory`, or `None` if it fails.
pub(super) fn ask(program: &Path, directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    let output = run("asking the compiler", command, QUERY_LIMIT).ok()?;
    String::from_utf8(output).ok()
}

#[cfg(test)]
pub(super) mod fakes {
    use super::*;

    /// A simulated machine in a directory, whose programs are shell scripts.
    pub(in crate::rust_route) struct FakeMachine(tempfile::TempDir);

    impl FakeMachine {
        pub(in crate::rust_route) fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        pub(in crate::rust_route) fn path(&self) -> &Path {
            self.0.path()
        }

        pub(in crate::rust_route) fn file(&self, name: &str) -> PathBuf {
            let path = self.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        }

        /// Written by another process: a file that this one has open for writing could not be executed by a
        /// test that forks at the same moment.
        pub(in crate::rust_route) fn script(&self, name: &str, body: &str) -> PathBuf {
            let path = self.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let written = Command::new("sh")
                .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
                .arg(&path)
                .arg(body)
                .status();
            assert!(written.unwrap().success());
            path
        }

        /// Writes a rustc that reports `lib` as its target library.
        pub(in crate::rust_route) fn rustc(&self) -> PathBuf {
            let library = self.path().join("lib");
            std::fs::create_dir_all(&library).unwrap();
            let library = library.display();
            self.script(
                "rustc",
                &format!("case $1 in --print) echo {library};; -vV) echo rustc 1.0 fake;; *) exit 1;; esac"),
            )
        }

        pub(in crate::rust_route) fn programs(&self, rustup: Option<PathBuf>) -> Programs {
            Programs {
                cargo: Some(self.script("cargo", "exit 0")),
                rustc: Some(self.rustc()),
                rustup,
                directory: self.path().to_path_buf(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fakes::FakeMachine;
    use super::*;

    #[test]
    fn a_standard_library_is_a_file_not_only_a_directory() {
        let machine = FakeMachine::new();
        let rustc = machine.rustc();
        assert!(!has_standard_library(&rustc, machine.path()));
        machine.file("lib/libcore-1.rlib");
        assert!(!has_standard_library(&rustc, machine.path()));
        machine.file("lib/libstd-1.rlib");
        assert!(has_standard_library(&rustc, machine.path()));
    }

    #[test]
    fn a_compiler_that_fails_has_none() {
        let machine = FakeMachine::new();
        let rustc = machine.script("rustc", "exit 1");
        assert!(!has_standard_library(&rustc, machine.path()));
        assert!(!has_standard_library(Path::new("/nonexistent/rustc"), machine.path()));
    }
}

//! The standard library for our target, built once from Debian's sources.
//!
//! The sources come with their vendored dependencies, so no network is needed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::TARGET;
use super::debian::{DebianCompiler, line_value};
use crate::cache::write_whole;
use crate::error::GuestkitError;
use crate::kit::Kit;
use crate::languages::without_build_settings;
use crate::process::run;

const LIMIT: Duration = Duration::from_secs(1200);

const SEED_MANIFEST: &str =
    "[package]\nname = \"sysroot-seed\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";

/// Returns the sysroot for `compiler`, and builds it if missing.
pub(super) fn ensure(kit: &Kit, compiler: &DebianCompiler) -> Result<PathBuf, GuestkitError> {
    let name = format!("sysroot-{}", compiler_name(&compiler.version));
    let library = Path::new("lib/rustlib").join(TARGET).join("lib");
    let usable = |sysroot: &Path| sysroot.join(&library).is_dir();
    kit.cache().install(&name, kit.tell(), usable, |sysroot| {
        kit.say("building the Rust standard library for WebAssembly, once (about a minute)");
        let work = kit.cache().work_directory()?;
        build_library(compiler, work.path())?;
        copy_libraries(work.path(), &sysroot.join(&library))
    })
}

/// Returns release and commit of a compiler, so that each compiler has its own library.
fn compiler_name(version: &str) -> String {
    let release = line_value(version, "release: ").unwrap_or("unknown");
    let commit: String = line_value(version, "commit-hash: ").unwrap_or("unknown").chars().take(12).collect();
    format!("{release}-{commit}")
}

fn build_library(compiler: &DebianCompiler, work: &Path) -> Result<(), GuestkitError> {
    let seed = work.join("seed");
    write_whole(&seed.join("Cargo.toml"), SEED_MANIFEST.as_bytes())?;
    write_whole(&seed.join("src/lib.rs"), b"pub fn seed() {}\n")?;
    let vendor = format!("source.vendored.directory={:?}", compiler.library.join("vendor"));
    let mut build = without_build_settings(Command::new(&compiler.cargo));
    build
        .current_dir(&seed)
        .env("RUSTC", &compiler.rustc)
        // `-Zbuild-std` builds the library from sources; RUSTC_BOOTSTRAP permits it with a stable compiler.
        .env("RUSTC_BOOTSTRAP", "1")
        // Guests may use link-time optimization or not, as with the library of rustup.
        .env("CARGO_ENCODED_RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("CARGO_HOME", work.join("home"))
        .env("CARGO_TARGET_DIR", work.join("target"))
        .args(["--config", "source.crates-io.replace-with=\"vendored\"", "--config", &vendor])
        .args(["build", "--offline", "--release", "--target", TARGET, "-Zbuild-std=std,panic_abort"]);
    run("building the Rust standard library", build, LIMIT).map(drop)
}

fn copy_libraries(work: &Path, library: &Path) -> Result<(), GuestkitError> {
    std::fs::create_dir_all(library).map_err(GuestkitError::file("create", library))?;
    let built = work.join("target").join(TARGET).join("release/deps");
    for entry in std::fs::read_dir(&built).map_err(GuestkitError::file("list", &built))? {
        let path = entry.map_err(GuestkitError::file("list", &built))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libsysroot_seed-") {
            std::fs::copy(&path, library.join(&name)).map_err(GuestkitError::file("copy", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_named_by_release_and_commit() {
        let version = "rustc 1.96.0\nbinary: rustc\ncommit-hash: 0123456789abcdef\nrelease: 1.96.0\n";
        assert_eq!(compiler_name(version), "1.96.0-0123456789ab");
        assert_eq!(compiler_name(""), "unknown-unknown");
    }

    #[test]
    fn only_the_librarys_own_archives_are_copied() {
        let work = tempfile::tempdir().unwrap();
        let built = work.path().join("target").join(TARGET).join("release/deps");
        std::fs::create_dir_all(&built).unwrap();
        for name in ["libstd-1.rlib", "libcore-1.rlib", "libsysroot_seed-1.rlib", "std.d", "libstd-1.rmeta"] {
            std::fs::write(built.join(name), "").unwrap();
        }
        let library = work.path().join("lib");
        copy_libraries(work.path(), &library).unwrap();
        let mut names: Vec<_> =
            std::fs::read_dir(&library).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["libcore-1.rlib", "libstd-1.rlib"]);
    }
}

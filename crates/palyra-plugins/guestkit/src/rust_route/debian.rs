//! Debian's compiler, with the sources of its standard library.

use std::path::{Path, PathBuf};

use super::programs::ask;
use super::{DEBIAN_PACKAGES, OwnLibrary, Route, RustToolchain, sysroot};
use crate::apt;
use crate::kit::Kit;
use crate::process::is_executable;

/// Linkers that understand WebAssembly, newest first.
const LINKERS: &[&str] = &["wasm-ld-22", "wasm-ld-21", "wasm-ld-20", "wasm-ld-19", "wasm-ld"];

/// The paths of files from Debian packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DebianFiles {
    bin: PathBuf,
    sources: PathBuf,
}

/// A complete compiler from Debian packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DebianCompiler {
    pub(crate) cargo: PathBuf,
    pub(crate) rustc: PathBuf,
    pub(crate) linker: PathBuf,
    /// The sources of the standard library, of exactly this version.
    pub(crate) library: PathBuf,
    /// The output of `rustc -vV`.
    pub(crate) version: String,
}

pub(super) fn attempt(kit: &Kit, files: &DebianFiles) -> Result<RustToolchain, String> {
    let compiler = match files.compiler() {
        Ok(compiler) => compiler,
        Err(missing) => {
            apt::install_packages(&available_packages(), kit.tell())
                .map_err(|reason| format!("{missing}; {reason}"))?;
            files.compiler()?
        }
    };
    let sysroot = sysroot::ensure(kit, &compiler).map_err(|error| error.to_string())?;
    Ok(RustToolchain {
        route: Route::Debian,
        cargo: compiler.cargo,
        rustc: compiler.rustc,
        version: compiler.version,
        own_library: Some(OwnLibrary { sysroot, linker: compiler.linker }),
    })
}

impl DebianFiles {
    /// Returns the paths below `root`, which is `/` on a real machine.
    pub(crate) fn below(root: &Path) -> Self {
        Self { bin: root.join("usr/bin"), sources: root.join("usr/src") }
    }

    /// Returns the compiler with everything it needs. The error names the missing part.
    pub(crate) fn compiler(&self) -> Result<DebianCompiler, String> {
        let program = |name: &str| Some(self.bin.join(name)).filter(|path| is_executable(path));
        let rustc = program("rustc").ok_or("Debian's rustc is not installed")?;
        let cargo = program("cargo").ok_or("Debian's cargo is not installed")?;
        let version = ask(&rustc, &self.bin, &["-vV"]).ok_or("Debian's rustc does not run")?;
        let release = line_value(&version, "release: ").ok_or("cannot read the version of Debian's rustc")?;
        let library = self.sources.join(format!("rustc-{release}/library"));
        if !library.join("std/Cargo.toml").is_file() || !library.join("vendor").is_dir() {
            return Err(format!("the sources of Rust {release} are not installed"));
        }
        let linker = LINKERS.iter().find_map(|name| program(name)).ok_or("no linker `wasm-ld`")?;
        Ok(DebianCompiler { cargo, rustc, linker, library, version })
    }
}

/// Returns the rest of the line that starts with `prefix`.
pub(super) fn line_value<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(prefix)).map(str::trim)
}

/// Returns the packages to install, with an older linker if the newest is not available.
fn available_packages() -> Vec<&'static str> {
    let replaced = |package: &'static str| match package {
        "lld-22" if !apt::is_known("lld-22") && apt::is_known("lld-19") => "lld-19",
        other => other,
    };
    DEBIAN_PACKAGES.iter().map(|package| replaced(package)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::programs::fakes::FakeMachine;
    use super::*;

    fn check(machine: &FakeMachine, missing: &str) {
        let reason = DebianFiles::below(machine.path()).compiler().unwrap_err();
        assert!(reason.contains(missing), "{reason}");
    }

    #[test]
    fn each_missing_piece_is_named_until_all_are_there() {
        let machine = FakeMachine::new();
        check(&machine, "rustc is not installed");
        machine.script("usr/bin/rustc", "exit 1");
        check(&machine, "cargo is not installed");
        machine.script("usr/bin/cargo", "exit 0");
        check(&machine, "does not run");
        machine.script("usr/bin/rustc", "printf 'rustc 1.96.0\\nrelease: 1.96.0\\n'");
        check(&machine, "sources of Rust 1.96.0");
        machine.file("usr/src/rustc-1.95.0/library/std/Cargo.toml");
        check(&machine, "sources of Rust 1.96.0");
        machine.file("usr/src/rustc-1.96.0/library/std/Cargo.toml");
        machine.file("usr/src/rustc-1.96.0/library/vendor/x");
        check(&machine, "wasm-ld");
        machine.script("usr/bin/wasm-ld-19", "exit 0");
        let older = DebianFiles::below(machine.path()).compiler().unwrap();
        assert!(older.linker.ends_with("usr/bin/wasm-ld-19"));
        machine.script("usr/bin/wasm-ld-22", "exit 0");
        let newer = DebianFiles::below(machine.path()).compiler().unwrap();
        assert!(newer.linker.ends_with("usr/bin/wasm-ld-22"));
    }
}

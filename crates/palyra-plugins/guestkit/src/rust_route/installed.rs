//! The compiler on PATH already has the target.

use std::path::PathBuf;

use super::programs::{Programs, ask, has_standard_library};
use super::{Route, RustToolchain, TARGET};

pub(super) fn attempt(programs: &Programs) -> Result<RustToolchain, String> {
    use_path_compiler(programs, Route::Installed)
}

/// Returns the compiler on PATH, if it can build guests now.
pub(super) fn use_path_compiler(programs: &Programs, route: Route) -> Result<RustToolchain, String> {
    let cargo = found(&programs.cargo, "cargo")?;
    let rustc = found(&programs.rustc, "rustc")?;
    if !has_standard_library(&rustc, &programs.directory) {
        return Err(format!("`{}` has no standard library for {TARGET}", rustc.display()));
    }
    let version = ask(&rustc, &programs.directory, &["-vV"]).ok_or("`rustc -vV` failed")?;
    Ok(RustToolchain { route, cargo, rustc, version, own_library: None })
}

pub(super) fn found(program: &Option<PathBuf>, name: &str) -> Result<PathBuf, String> {
    program.clone().ok_or_else(|| format!("`{name}` is not installed"))
}

#[cfg(test)]
mod tests {
    use super::super::programs::fakes::FakeMachine;
    use super::*;

    #[test]
    fn the_target_must_be_there() {
        let machine = FakeMachine::new();
        let programs = machine.programs(None);
        assert!(attempt(&programs).unwrap_err().contains("no standard library"));
        machine.file("lib/libstd-1.rlib");
        let toolchain = attempt(&programs).unwrap();
        assert_eq!((toolchain.route, toolchain.version.as_str()), (Route::Installed, "rustc 1.0 fake\n"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let machine = FakeMachine::new();
        let programs = Programs { cargo: None, ..machine.programs(None) };
        assert_eq!(attempt(&programs).unwrap_err(), "`cargo` is not installed");
    }
}

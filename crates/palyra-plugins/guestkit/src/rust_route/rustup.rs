//! rustup adds the target.

use std::process::Command;
use std::time::Duration;

use super::installed::{found, use_path_compiler};
use super::programs::{Programs, ask};
use super::{Route, RustToolchain, TARGET};
use crate::process::run;

/// The download may be unreachable, and another route may still work.
const LIMIT: Duration = Duration::from_secs(180);

pub(super) fn attempt(programs: &Programs, say: &dyn Fn(&str)) -> Result<RustToolchain, String> {
    let rustup = found(&programs.rustup, "rustup")?;
    // Otherwise the target would be added to an unused toolchain.
    ask(&rustup, &programs.directory, &["which", "rustc"]).ok_or("rustup has no active toolchain here")?;
    say(&format!("rustup target add {TARGET}"));
    let mut add = Command::new(&rustup);
    add.args(["target", "add", TARGET]).current_dir(&programs.directory).env("RUSTUP_MAX_RETRIES", "1");
    run("rustup target add", add, LIMIT).map_err(|error| error.to_string())?;
    use_path_compiler(programs, Route::Rustup)
}

#[cfg(test)]
mod tests {
    use super::super::programs::fakes::FakeMachine;
    use super::*;

    #[test]
    fn the_target_is_added_and_then_checked() {
        let machine = FakeMachine::new();
        let library = machine.path().join("lib/libstd-1.rlib");
        let body = format!("case $1 in which) exit 0;; target) : > {};; *) exit 1;; esac", library.display());
        let rustup = machine.script("rustup", &body);
        let toolchain = attempt(&machine.programs(Some(rustup)), &|_| {}).unwrap();
        assert_eq!(toolchain.route, Route::Rustup);
    }

    #[test]
    fn a_rustup_that_adds_nothing_or_fails_is_refused() {
        let machine = FakeMachine::new();
        let silent = machine.script("silent", "exit 0");
        let reason = attempt(&machine.programs(Some(silent)), &|_| {}).unwrap_err();
        assert!(reason.contains("no standard library"), "{reason}");
        let body = "[ $1 = which ] && exit 0; echo could not download >&2; exit 1";
        let offline = machine.script("offline", body);
        let reason = attempt(&machine.programs(Some(offline)), &|_| {}).unwrap_err();
        assert!(reason.contains("could not download"), "{reason}");
        let foreign = machine.script("foreign", "exit 1");
        let reason = attempt(&machine.programs(Some(foreign)), &|_| {}).unwrap_err();
        assert!(reason.contains("no active toolchain"), "{reason}");
        assert_eq!(attempt(&machine.programs(None), &|_| {}).unwrap_err(), "`rustup` is not installed");
    }
}

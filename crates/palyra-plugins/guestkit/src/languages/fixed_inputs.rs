//! Makes builds reproducible for tools that take a snapshot of a running interpreter.
//!
//! The snapshot contains clock readings and random numbers of the interpreter. A small library, preloaded into the
//! tool, replaces both with constants. It is built with the C compiler of the system; without one the guest still
//! builds, but its bytes differ between builds.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::cache::{InputHasher, write_whole};
use crate::error::GuestkitError;
use crate::kit::Kit;
use crate::process::{find_program, run};

/// The source of the library, an input of every guest that it is used for.
pub(super) const SOURCE: &str = include_str!("../../tools/fixed-inputs.c");

const LIBRARY: &str = "fixed-inputs.so";
const LIMIT: Duration = Duration::from_secs(60);

/// Makes `command` read a fixed clock and fixed random numbers, if this machine supports it.
pub(super) fn apply(kit: &Kit, command: &mut Command) -> Result<(), GuestkitError> {
    match library(kit)? {
        Some(library) => {
            command.env("LD_PRELOAD", library);
        }
        None => kit.say("no C compiler: the bytes of this guest will differ from build to build"),
    }
    Ok(())
}

fn library(kit: &Kit) -> Result<Option<PathBuf>, GuestkitError> {
    let Some(compiler) = find_program("cc").filter(|_| cfg!(target_os = "linux")) else { return Ok(None) };
    let mut hasher = InputHasher::new();
    hasher.add("source", SOURCE.as_bytes());
    let name = format!("fixed-inputs-{}", &hasher.finish()[..16]);
    let usable = |directory: &std::path::Path| directory.join(LIBRARY).is_file();
    let installed = kit.cache().install(&name, kit.tell(), usable, |directory| {
        let source = directory.join("fixed-inputs.c");
        write_whole(&source, SOURCE.as_bytes())?;
        let mut compile = Command::new(compiler);
        compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(directory.join(LIBRARY)).arg(&source);
        run("compiling fixed-inputs.c", compile, LIMIT).map(drop)
    })?;
    Ok(Some(installed.join(LIBRARY)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust_route::WantedRoute;

    #[test]
    fn program_sees_the_fixed_clock() {
        let cache = tempfile::tempdir().unwrap();
        let kit = Kit::new(cache.path().to_path_buf(), WantedRoute::Auto, |_| {});
        let Some(library) = library(&kit).unwrap() else { return };
        let ran = Command::new("date").args(["-u", "+%s"]).env("LD_PRELOAD", library).output().unwrap();
        assert_eq!(String::from_utf8(ran.stdout).unwrap(), "1577836800\n");
    }
}

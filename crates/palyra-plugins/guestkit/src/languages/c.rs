//! C: compiled by `zig cc` against generated bindings, and encoded into a component.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::python_tools;
use crate::c_bindings::write_contract_bindings;
use crate::cache::files_below;
use crate::component::encode_component;
use crate::error::GuestkitError;
use crate::guest::Guest;
use crate::kit::Kit;
use crate::process::run;

pub(super) const TOOLS: &str = include_str!("../../tools/zig.txt");

const LIMIT: Duration = Duration::from_secs(600);

/// Flags for a library without `main`. Unreachable code is not linked, so a guest without files or clocks imports no
/// WASI.
///
/// The compiler's default stack of 16 MiB would be part of every call's memory. This one is small and lies below the
/// data, so that overrunning it traps.
const FLAGS: &[&str] = &[
    "-target",
    "wasm32-wasi",
    "-mexec-model=reactor",
    "-std=gnu17",
    "-Os",
    "-g0",
    "-Wall",
    "-Wextra",
    "-fno-sanitize=undefined",
    "-Wl,--strip-debug",
    "-Wl,-z,stack-size=131072",
];

pub(super) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    let tool = python_tools::ensure(kit, "zig", TOOLS)?;
    let work = kit.cache().work_directory()?;
    let bindings = write_contract_bindings(guest.world(), work.path())?;
    let output = work.path().join("guest.core.wasm");
    let mut compile = tool.command();
    compile
        .current_dir(guest.directory())
        .env("ZIG_GLOBAL_CACHE_DIR", kit.cache().directory("zig")?)
        .env("ZIG_LOCAL_CACHE_DIR", work.path().join("zig"))
        .args(["-m", "ziglang", "cc"])
        .args(FLAGS)
        .arg("-I")
        .arg(work.path())
        .arg("-o")
        .arg(&output)
        .args(sources(guest)?)
        .args(bindings.iter().filter(|path| path.extension() != Some(OsStr::new("h"))));
    run(&format!("compiling `{}` with zig cc", guest.name()), compile, LIMIT)?;
    let core = std::fs::read(&output).map_err(GuestkitError::file("read", &output))?;
    encode_component(&core)
}

/// Returns one file, or every `.c` of a directory, relative so that the module contains no path of this machine.
fn sources(guest: &Guest) -> Result<Vec<PathBuf>, GuestkitError> {
    if guest.source_path().is_file() {
        return Ok(vec![guest.source().to_path_buf()]);
    }
    let relative = |path: &Path| path.strip_prefix(guest.directory()).unwrap_or(path).to_path_buf();
    let files = files_below(&guest.source_path())?;
    Ok(files
        .iter()
        .filter(|path| path.extension() == Some(OsStr::new("c")))
        .map(|path| relative(path))
        .collect())
}

//! Python: a module, frozen together with its interpreter into a component.

use std::path::Path;
use std::time::Duration;

use super::python_tools;
use crate::cache::{sources_below, write_whole};
use crate::contract;
use crate::error::GuestkitError;
use crate::guest::Guest;
use crate::kit::Kit;
use crate::process::run;

pub(super) const TOOLS: &str = include_str!("../../tools/componentize-py.txt");

/// The module that is frozen, which wraps the author's; part of the key of every Python guest.
pub(super) const WRAPPER: &str = include_str!("../../tools/palyra_entry.py");

const ENTRY: &str = "palyra_entry";

const LIMIT: Duration = Duration::from_secs(600);

/// The tool has no `__main__`, and its script holds the path it was installed at first.
const RUN_TOOL: &str = "import sys; from componentize_py import script; sys.exit(script())";

pub(super) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    let tool = python_tools::ensure(kit, "componentize-py", TOOLS)?;
    let work = kit.cache().work_directory()?;
    let wit = contract::write_wit(work.path())?;
    let sources = work.path().join("sources");
    // A copy, because the interpreter writes compiled files beside the modules it imports.
    copy_sources(guest.directory(), &sources)?;
    let source = sources.join(guest.source());
    let root = source.parent().unwrap_or(&sources);
    let module = source.file_stem().unwrap_or_default().to_string_lossy();
    let entry = format!("import {module} as guest\n\n{WRAPPER}");
    write_whole(&root.join(format!("{ENTRY}.py")), entry.as_bytes())?;
    let output = work.path().join("guest.wasm");
    kit.say(&format!("freezing `{}` with its interpreter (about 10 s)", guest.name()));
    let mut componentize = tool.command();
    componentize
        .current_dir(work.path())
        .args(["-c", RUN_TOOL, "--quiet", "--wit-path"])
        .arg(&wit)
        .args(["--world", guest.world(), "componentize", "--stub-wasi", "--python-path"])
        .arg(root)
        .arg("--output")
        .arg(&output)
        .arg(ENTRY);
    run(&format!("componentize-py of `{}`", guest.name()), componentize, LIMIT)?;
    std::fs::read(&output).map_err(GuestkitError::file("read", &output))
}

fn copy_sources(from: &Path, to: &Path) -> Result<(), GuestkitError> {
    for path in sources_below(from)? {
        let target = to.join(path.strip_prefix(from).unwrap_or(&path));
        let parent = target.parent().unwrap_or(to);
        std::fs::create_dir_all(parent).map_err(GuestkitError::file("create", parent))?;
        std::fs::copy(&path, &target).map_err(GuestkitError::file("copy", &path))?;
    }
    Ok(())
}

//! Python: a module, frozen together with its interpreter into a component.

use std::path::Path;
use std::time::Duration;

use super::python_tools;
use crate::cache::files_below;
use crate::contract;
use crate::error::GuestkitError;
use crate::guest::Guest;
use crate::kit::Kit;
use crate::process::run;

pub(super) const TOOLS: &str = include_str!("../../tools/componentize-py.txt");

const LIMIT: Duration = Duration::from_secs(600);

/// The tool has no `__main__`, and its script holds the path it was installed at first.
const RUN_TOOL: &str = "import sys; from componentize_py import script; sys.exit(script())";

pub(super) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    let tool = python_tools::ensure(kit, "componentize-py", TOOLS)?;
    let work = kit.cache().work_directory()?;
    let wit = contract::write_wit(work.path())?;
    let sources = work.path().join("sources");
    // The interpreter leaves compiled files beside what it imports.
    copy_sources(guest.directory(), &sources)?;
    let source = sources.join(guest.source());
    let output = work.path().join("guest.wasm");
    kit.say(&format!("freezing `{}` with its interpreter (about 10 s)", guest.name()));
    let mut componentize = tool.command();
    componentize
        .current_dir(work.path())
        .args(["-c", RUN_TOOL, "--quiet", "--wit-path"])
        .arg(&wit)
        .args(["--world", guest.world(), "componentize", "--stub-wasi", "--python-path"])
        .arg(source.parent().unwrap_or(&sources))
        .arg("--output")
        .arg(&output)
        .arg(source.file_stem().unwrap_or_default());
    run(&format!("componentize-py of `{}`", guest.name()), componentize, LIMIT)?;
    std::fs::read(&output).map_err(GuestkitError::file("read", &output))
}

fn copy_sources(from: &Path, to: &Path) -> Result<(), GuestkitError> {
    for path in files_below(from)? {
        let target = to.join(path.strip_prefix(from).unwrap_or(&path));
        let parent = target.parent().unwrap_or(to);
        std::fs::create_dir_all(parent).map_err(GuestkitError::file("create", parent))?;
        std::fs::copy(&path, &target).map_err(GuestkitError::file("copy", &path))?;
    }
    Ok(())
}

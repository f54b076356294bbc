//! JavaScript and TypeScript: bundled into one module, and joined with QuickJS into a component.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::fixed_inputs;
use crate::cache::{InputHasher, write_whole};
use crate::contract;
use crate::error::GuestkitError;
use crate::guest::Guest;
use crate::kit::Kit;
use crate::process::{find_program, run};

const TOOLS: &str = include_str!("../../tools/package.json");
pub(super) const TOOLS_LOCK: &str = include_str!("../../tools/package-lock.json");

const INSTALL_LIMIT: Duration = Duration::from_secs(600);
const BUILD_LIMIT: Duration = Duration::from_secs(300);

const COMPONENTIZE: &str = "node_modules/componentize-qjs/bin/componentize-qjs";
const BUNDLE: &str = "node_modules/esbuild/bin/esbuild";

/// The Node.js of this machine.
pub(crate) fn find_node() -> Option<PathBuf> {
    find_program("node")
}

pub(super) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    let node = find_node().ok_or(GuestkitError::ProgramMissing {
        program: "node",
        purpose: "build JavaScript and TypeScript guests",
    })?;
    let tools = ensure_tools(kit)?;
    let work = kit.cache().work_directory()?;
    let bundle = work.path().join("bundle.js");
    run(
        &format!("bundling `{}` with esbuild", guest.name()),
        bundler(&node, &tools, guest, &bundle),
        BUILD_LIMIT,
    )?;
    let wit = contract::write_wit(work.path())?;
    let output = work.path().join("guest.wasm");
    let mut componentize = Command::new(&node);
    componentize
        .current_dir(work.path())
        .arg(tools.join(COMPONENTIZE))
        .args(["--sync", "--stub-wasi", "--opt-size", "--world", guest.world(), "--wit"])
        .arg(&wit)
        .arg("--js")
        .arg(&bundle)
        .arg("--output")
        .arg(&output);
    fixed_inputs::apply(kit, &mut componentize)?;
    run(&format!("componentize-qjs of `{}`", guest.name()), componentize, BUILD_LIMIT)?;
    std::fs::read(&output).map_err(GuestkitError::file("read", &output))
}

fn bundler(node: &Path, tools: &Path, guest: &Guest, bundle: &Path) -> Command {
    let mut command = Command::new(node);
    command
        .current_dir(guest.directory())
        .arg(tools.join(BUNDLE))
        .arg(guest.source())
        .args(["--bundle", "--format=esm", "--platform=neutral", "--target=es2022", "--log-level=warning"])
        // Imports of the contract are the component's imports.
        .args(["--external:palyra:*", "--legal-comments=none"])
        .arg(format!("--outfile={}", bundle.display()));
    command
}

fn ensure_tools(kit: &Kit) -> Result<PathBuf, GuestkitError> {
    let mut hasher = InputHasher::new();
    hasher.add("package", TOOLS.as_bytes());
    hasher.add("lock", TOOLS_LOCK.as_bytes());
    let name = format!("javascript-{}", &hasher.finish()[..16]);
    let usable =
        |directory: &Path| directory.join(COMPONENTIZE).is_file() && directory.join(BUNDLE).is_file();
    kit.cache().install(&name, kit.tell(), usable, |directory| {
        let npm = find_program("npm").ok_or(GuestkitError::ProgramMissing {
            program: "npm",
            purpose: "install the JavaScript tools",
        })?;
        kit.say("installing componentize-qjs and esbuild, once");
        write_whole(&directory.join("package.json"), TOOLS.as_bytes())?;
        write_whole(&directory.join("package-lock.json"), TOOLS_LOCK.as_bytes())?;
        let mut install = Command::new(npm);
        install.current_dir(directory).args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
        ]);
        run("npm ci", install, INSTALL_LIMIT).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_has_hashes_and_no_registry_addresses() {
        let lock: serde_json::Value = serde_json::from_str(TOOLS_LOCK).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.contains_key("node_modules/componentize-qjs"));
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(package["integrity"].is_string(), "{name}");
            assert!(package["resolved"].is_null(), "{name}");
        }
    }

    #[test]
    fn the_manifest_and_the_lock_file_name_the_same_versions() {
        let manifest: serde_json::Value = serde_json::from_str(TOOLS).unwrap();
        let lock: serde_json::Value = serde_json::from_str(TOOLS_LOCK).unwrap();
        for (name, version) in manifest["dependencies"].as_object().unwrap() {
            assert_eq!(&lock["packages"][format!("node_modules/{name}")]["version"], version, "{name}");
        }
    }
}

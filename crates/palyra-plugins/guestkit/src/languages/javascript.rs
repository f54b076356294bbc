//! JavaScript and TypeScript: bundled into one module, and joined with QuickJS into a component.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{fixed_inputs, source_lines};
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

/// Returns the Node.js of this machine.
pub(crate) fn find_node() -> Option<PathBuf> {
    find_program("node")
}

/// The modules that wrap the author's module in the snapshot, inputs of every guest that they are used for.
pub(super) const WRAPPER: [(&str, &str); 6] = [
    ("call.js", include_str!("../../tools/javascript/call.js")),
    ("entry.js", include_str!("../../tools/javascript/entry.js")),
    ("globals.js", include_str!("../../tools/javascript/globals.js")),
    ("promise.js", include_str!("../../tools/javascript/promise.js")),
    ("text.js", include_str!("../../tools/javascript/text.js")),
    ("url.js", include_str!("../../tools/javascript/url.js")),
];

/// The interfaces that the wrapper imports in addition to the contract.
pub(super) const RANDOM_WIT: &str = "package wasi:random@0.2.0;
interface random { get-random-bytes: func(len: u64) -> list<u8>; }
";

const WORLD: &str = "javascript-guest";

pub(super) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    let node = find_node().ok_or(GuestkitError::ProgramMissing {
        program: "node",
        purpose: "build JavaScript and TypeScript guests",
    })?;
    let tools = ensure_tools(kit)?;
    let work = kit.cache().work_directory()?;
    let work_path = work.path().canonicalize().map_err(GuestkitError::file("find", work.path()))?;
    let bundle = bundle(&node, &tools, guest, &work_path)?;
    let wit = write_world(guest, &work_path)?;
    let output = work_path.join("guest.wasm");
    let mut componentize = Command::new(&node);
    // WASI remains linked because the JavaScript engine reads the run's recorded clock through it.
    componentize
        .current_dir(&work_path)
        .arg(tools.join(COMPONENTIZE))
        .args(["--sync", "--opt-size", "--world", WORLD, "--wit"])
        .arg(&wit)
        .arg("--js")
        .arg(&bundle)
        .arg("--output")
        .arg(&output);
    fixed_inputs::apply(kit, &mut componentize)?;
    run(&format!("componentize-qjs of `{}`", guest.name()), componentize, BUILD_LIMIT)?;
    std::fs::read(&output).map_err(GuestkitError::file("read", &output))
}

/// Bundles the wrapper and the author's module, followed by the table that names the author's lines.
fn bundle(node: &Path, tools: &Path, guest: &Guest, work: &Path) -> Result<PathBuf, GuestkitError> {
    let wrapper = work.join("wrapper");
    for (name, text) in WRAPPER {
        write_whole(&wrapper.join(name), text.as_bytes())?;
    }
    let bundle = work.join("bundle.js");
    run(
        &format!("bundling `{}` with esbuild", guest.name()),
        bundler(node, tools, guest, &wrapper, &bundle),
        BUILD_LIMIT,
    )
    .map_err(without_node_stack)?;
    let map_path = work.join("bundle.js.map");
    let map = std::fs::read(&map_path).map_err(GuestkitError::file("read", &map_path))?;
    let lines = source_lines::read(&map, work, &wrapper, guest.directory());
    // As text, which takes less of the frozen memory than the value, and is parsed only for an exception.
    let lines =
        lines.and_then(|lines| serde_json::to_string(&serde_json::to_string(&lines)?)).map_err(|source| {
            GuestkitError::File { action: "understand", path: map_path, source: source.into() }
        })?;
    let text = std::fs::read_to_string(&bundle).map_err(GuestkitError::file("read", &bundle))?;
    let mut text = without_paths_of(&wrapper, &text);
    text.push_str(&format!("globalThis.__palyraLines = {lines};\n"));
    write_whole(&bundle, text.as_bytes())?;
    Ok(bundle)
}

/// Empties the comments that name files of the wrapper: the directory has another name in every build, and the engine
/// keeps the text of the bundle.
fn without_paths_of(wrapper: &Path, bundle: &str) -> String {
    let parent = wrapper.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let marker = format!("/{parent}/wrapper/");
    let kept = |line: &str| {
        if line.starts_with("// ") && line.contains(&marker) {
            "//\n".to_owned()
        } else {
            format!("{line}\n")
        }
    };
    bundle.lines().map(kept).collect()
}

fn bundler(node: &Path, tools: &Path, guest: &Guest, wrapper: &Path, bundle: &Path) -> Command {
    let mut command = Command::new(node);
    command
        .current_dir(guest.directory())
        .arg(tools.join(BUNDLE))
        .arg(wrapper.join("entry.js"))
        .arg(format!("--alias:palyra-guest={}", guest.source_path().display()))
        .args(["--bundle", "--format=esm", "--platform=neutral", "--target=es2022", "--log-level=warning"])
        // The engine runs its own promises only in asynchronous exports, see `promise.js`.
        .args(["--supported:async-await=false", "--supported:for-await=false"])
        .args(["--supported:async-generator=false", "--supported:top-level-await=false"])
        .args(["--keep-names", "--sourcemap=external", "--sources-content=false"])
        // Imports from the contract become imports of the component.
        .args(["--external:palyra:*", "--external:wasi:*", "--legal-comments=none"])
        .arg(format!("--outfile={}", bundle.display()));
    command
}

/// Removes the stack trace of the starting script from the bundler's messages.
fn without_node_stack(error: GuestkitError) -> GuestkitError {
    match error {
        GuestkitError::StepFailed { step, status, output } => {
            let output = match output.find("node:child_process").or(output.find("node:internal/")) {
                Some(stack) => output[..stack].trim_end().to_owned(),
                None => output,
            };
            GuestkitError::StepFailed { step, status, output }
        }
        other => other,
    }
}

/// Writes the guest's world with the imports of the wrapper.
fn write_world(guest: &Guest, work: &Path) -> Result<PathBuf, GuestkitError> {
    let wit = contract::write_wit(work)?;
    let world = format!(
        "package palyra:plugin@1.0.0;\nworld {WORLD} {{ include {}; import wasi:random/random@0.2.0; }}\n",
        guest.world()
    );
    write_whole(&wit.join("javascript.wit"), world.as_bytes())?;
    write_whole(&wit.join("deps/random/random.wit"), RANDOM_WIT.as_bytes())?;
    Ok(wit)
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
    fn comments_of_the_bundle_name_no_directory_of_the_build() {
        let bundle = "// ../cache/work/x1/wrapper/call.js\nvar a;\n// guest.js\nvar b;\n";
        let wrapper = Path::new("/home/cache/work/x1/wrapper");
        assert_eq!(without_paths_of(wrapper, bundle), "//\nvar a;\n// guest.js\nvar b;\n");
    }

    #[test]
    fn bundler_errors_come_without_the_stack_of_node() {
        let step = || "bundling".to_owned();
        let failed = |output: &str| GuestkitError::StepFailed {
            step: step(),
            status: "exit status: 1".to_owned(),
            output: output.to_owned(),
        };
        let error = without_node_stack(failed("guest.js:1: ERROR\n\nnode:child_process:967\n    throw err;"));
        assert_eq!(error.to_string(), "bundling failed with exit status: 1\nguest.js:1: ERROR");
        assert_eq!(without_node_stack(failed("other")).to_string(), failed("other").to_string());
    }

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

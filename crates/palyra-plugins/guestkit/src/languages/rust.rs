//! Rust: a Cargo package, compiled without WASI and encoded into a component.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::rust_inputs::RustInputs;
use super::stable_metadata;
use super::without_build_settings;
use crate::cache::InputHasher;
use crate::component::encode_component;
use crate::discover::project_root;
use crate::error::GuestkitError;
use crate::guest::Guest;
use crate::inspect::{WasmKind, inspect_wasm};
use crate::kit::Kit;
use crate::rust_route::{Route, RustToolchain, TARGET};

const LIMIT: Duration = Duration::from_secs(900);

/// Adds the compiler and every package that the guest takes from a path.
pub(super) fn add_inputs(kit: &Kit, guest: &Guest, hasher: &mut InputHasher) -> Result<(), GuestkitError> {
    let toolchain = kit.rust_toolchain(guest.directory())?;
    hasher.add("rustc", toolchain.version.as_bytes());
    hasher.add("library", library_name(&toolchain).as_bytes());
    hasher.add("wrapper", stable_metadata::SCRIPT.as_bytes());
    let inputs = RustInputs::of(&manifest_directory(guest))?;
    if inputs.lock_file().is_none() {
        write_lock_file(&toolchain, guest)?;
    }
    inputs.hash_into(hasher)
}

pub(super) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    let toolchain = kit.rust_toolchain(guest.directory())?;
    let module = compile(kit, &toolchain, guest)?;
    match inspect_wasm(&module)?.kind {
        WasmKind::Module => encode_component(&module),
        WasmKind::Component => Ok(module),
    }
}

fn compile(kit: &Kit, toolchain: &RustToolchain, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    // Guests share compiled dependencies; the lock prevents another guest from replacing the file that is read.
    let directory = format!("cargo-target-{}", library_name(toolchain));
    let _lock = kit.cache().lock(&directory, kit.tell())?;
    let mut build = cargo(toolchain, guest);
    build
        .args([
            "build",
            "--release",
            "--locked",
            "--target",
            TARGET,
            "--message-format=json-render-diagnostics",
        ])
        .env("CARGO_TARGET_DIR", kit.cache().directory(&directory)?)
        .env("RUSTC_WRAPPER", stable_metadata::rustc_wrapper(kit)?)
        .env(stable_metadata::PROJECT, project_root(guest.directory()));
    for setting in target_settings(toolchain, guest) {
        build.arg("--config").arg(setting);
    }
    let messages = run_cargo(&format!("building `{}` with cargo", guest.name()), build)?;
    let module = built_module(&String::from_utf8_lossy(&messages), &guest.source_path())
        .ok_or_else(|| GuestkitError::NoModule { directory: guest.directory().to_path_buf() })?;
    std::fs::read(&module).map_err(GuestkitError::file("read", &module))
}

/// Writes the lock file, so that later builds can be `--locked` and the file is part of the key.
fn write_lock_file(toolchain: &RustToolchain, guest: &Guest) -> Result<(), GuestkitError> {
    let mut generate = cargo(toolchain, guest);
    generate.arg("generate-lockfile");
    run_cargo(&format!("choosing versions for `{}`", guest.name()), generate).map(drop)
}

fn run_cargo(step: &str, command: Command) -> Result<Vec<u8>, GuestkitError> {
    crate::process::run(step, command, LIMIT).map_err(|error| match error {
        GuestkitError::StepFailed { step, status, output } => {
            GuestkitError::StepFailed { step, status, output: diagnostics(&output) }
        }
        other => other,
    })
}

/// Returns cargo's output without messages for programs and without progress lines.
fn diagnostics(output: &str) -> String {
    const PROGRESS: [&str; 7] =
        ["Compiling", "Downloading", "Downloaded", "Updating", "Locking", "Adding", "Blocking"];
    let is_progress = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        line.starts_with("{\"reason\":") || (line.starts_with("  ") && PROGRESS.contains(&first))
    };
    output.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n")
}

fn cargo(toolchain: &RustToolchain, guest: &Guest) -> Command {
    let mut cargo = without_build_settings(Command::new(&toolchain.cargo));
    // rustup's proxies read the toolchain file from the working directory.
    cargo.current_dir(manifest_directory(guest)).env("RUSTC", &toolchain.rustc);
    cargo
}

/// Returns target settings that cargo merges with those of the guest. They keep paths of this machine out of the
/// module, and point a compiler without the target to our library.
fn target_settings(toolchain: &RustToolchain, guest: &Guest) -> Vec<String> {
    let mut flags = vec![remap(&project_root(guest.directory()), "project")];
    if let Some(home) = cargo_home() {
        flags.push(remap(&home.join("registry/src"), "crates"));
    }
    let mut settings = Vec::new();
    if let Some(own) = &toolchain.own_library {
        flags.push(format!("--sysroot={}", own.sysroot.display()));
        settings.push(target_setting("linker", &own.linker.display().to_string().into()));
    }
    settings.push(target_setting("rustflags", &flags.into()));
    settings
}

fn target_setting(name: &str, value: &toml::Value) -> String {
    format!("target.{TARGET}.{name}={value}")
}

fn remap(path: &Path, name: &str) -> String {
    format!("--remap-path-prefix={}={name}", path.display())
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

fn manifest_directory(guest: &Guest) -> PathBuf {
    let manifest = guest.source_path();
    manifest.parent().unwrap_or(guest.directory()).to_path_buf()
}

/// Returns a name for the standard library: a target added by rustup is the same library as one found installed.
fn library_name(toolchain: &RustToolchain) -> &'static str {
    match toolchain.route {
        Route::Installed | Route::Rustup => "shipped",
        Route::Debian => "debian",
    }
}

/// Returns the `.wasm` that cargo reports for the package with this manifest.
fn built_module(messages: &str, manifest: &Path) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter(|message| message["manifest_path"].as_str().is_some_and(|path| Path::new(path) == manifest))
        .filter_map(|message| {
            let files = message["filenames"].as_array()?;
            files.iter().filter_map(Value::as_str).find(|name| name.ends_with(".wasm")).map(PathBuf::from)
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_the_guests_own_artifact() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/sdk/Cargo.toml\",\"filenames\":[\"/t/sdk.wasm\"]}\n",
            "{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/g/Cargo.toml\",\"filenames\":[\"/t/g.d\",\"/t/g.wasm\"]}\n",
            "not json\n",
            "{\"reason\":\"build-finished\",\"success\":true}\n",
        );
        assert_eq!(built_module(messages, Path::new("/g/Cargo.toml")), Some(PathBuf::from("/t/g.wasm")));
        assert_eq!(built_module(messages, Path::new("/other/Cargo.toml")), None);
        assert_eq!(built_module("", Path::new("/g/Cargo.toml")), None);
    }

    #[test]
    fn diagnostics_are_what_a_person_reads() {
        let output = "{\"reason\":\"compiler-artifact\"}\n   Compiling serde v1.0.0\nerror[E0425]: cannot find value\n\
                      \n  --> src/lib.rs:3:5\n   |\n3  | Compiling\n";
        assert_eq!(
            diagnostics(output),
            "error[E0425]: cannot find value\n\n  --> src/lib.rs:3:5\n   |\n3  | Compiling"
        );
    }

    #[test]
    fn settings_are_toml_whatever_the_path() {
        let flags = vec![remap(Path::new("/a \"b\" \\c"), "project")];
        let setting = target_setting("rustflags", &flags.clone().into());
        let parsed: toml::Table = toml::from_str(&setting).unwrap();
        assert_eq!(parsed["target"][TARGET]["rustflags"], flags.into());
    }
}

//! Compares the tables of imports and exports with the WIT they were written from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use palyra_plugins_sdk::abi::{self, interfaces};
use wit_parser::Resolve;

use super::wit_text::interface_lines;

/// The WASI interfaces the runtime links.
const LINKED: [&str; 22] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:http/outgoing-handler",
    "wasi:http/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

#[test]
fn the_table_of_palyra_interfaces_is_that_of_the_wit() {
    let mut resolve = Resolve::default();
    resolve.push_str("palyra-sdk.wit", abi::WIT).unwrap();
    let mut lines = BTreeSet::new();
    for (id, _) in resolve.interfaces.iter() {
        let name = resolve.id_of(id).unwrap();
        lines.extend(interface_lines(&resolve, id, &name));
    }
    check_table("contract.txt", "# The interfaces of palyra-sdk.wit, types written out.", &lines);
    for name in interfaces::IMPORTS.iter().chain(&interfaces::EXPORTS) {
        assert!(lines.iter().any(|line| line.split(' ').next() == Some(name)), "{name}");
    }
}

#[test]
fn the_table_of_wasi_interfaces_is_that_of_the_engines_own_wit() {
    let mut resolve = Resolve::default();
    resolve.push_dir(wasi_wit()).unwrap();
    let mut lines = BTreeSet::new();
    for (id, _) in resolve.interfaces.iter() {
        let Some(full) = resolve.id_of(id) else { continue };
        let (name, version) = full.split_once('@').unwrap();
        if LINKED.contains(&name) {
            assert_eq!(version, "0.2.12", "{name}: change WASI_VERSION with the engine");
            lines.extend(interface_lines(&resolve, id, name));
        }
    }
    check_table("wasi.txt", "# The WASI 0.2.12 interfaces the runtime links, types written out.", &lines);
    for name in LINKED {
        assert!(lines.iter().any(|line| line.split(' ').next() == Some(name)), "{name}");
    }
}

/// Compares a table with its source; on a difference writes the expected table to where it can be copied from.
fn check_table(file: &str, title: &str, lines: &BTreeSet<String>) {
    let expected = format!("{title}\n{}\n", lines.iter().cloned().collect::<Vec<_>>().join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/audit/wasm").join(file);
    if std::fs::read_to_string(&path).unwrap() != expected {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        std::fs::write(&copy, expected).unwrap();
        panic!("{} is not what the WIT says; what it should be is in {}", path.display(), copy.display());
    }
}

/// Returns the WIT of the engine's HTTP crate, which contains all of WASI.
fn wasi_wit() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "wasmtime-wasi-http").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().join("wit")
}

//! Embeds packages of example skills: the committed small ones, or every one that `cargo xtask build` made.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Names the directory of all packages; set by `cargo xtask`, which builds them from source.
const DIRECTORY: &str = "PALYRA_BUILT_IN_SKILLS";
/// Lists the packages of a directory, one a line: payload digest, two blanks, name.
const LIST: &str = "payloads.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={DIRECTORY}");
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let manifest = variable("CARGO_MANIFEST_DIR").ok_or("cargo sets CARGO_MANIFEST_DIR")?;
    let directory = variable(DIRECTORY).unwrap_or_else(|| manifest.join("packages"));
    let output = variable("OUT_DIR").ok_or("cargo sets OUT_DIR")?.join("embedded.rs");
    Ok(std::fs::write(output, embedded(&directory)?)?)
}

/// The source of the table of embedded skills.
fn embedded(directory: &Path) -> Result<String, Box<dyn Error>> {
    let list = directory.join(LIST);
    println!("cargo::rerun-if-changed={}", list.display());
    let lines = std::fs::read_to_string(&list)
        .map_err(|error| format!("cannot read `{}`: {error}", list.display()))?;
    let mut source = String::from("&[\n");
    for line in lines.lines() {
        let (payload, name) = line
            .split_once("  ")
            .ok_or_else(|| format!("`{}` has a line without a name: `{line}`", list.display()))?;
        let package = directory.join(format!("{name}.palyra-skill"));
        println!("cargo::rerun-if-changed={}", package.display());
        source.push_str(&format!(
            "BuiltInSkill {{ name: {name:?}, payload_sha256: {payload:?}, package: include_bytes!({package:?}) }},\n"
        ));
    }
    Ok(source + "]\n")
}

//! Embeds the sources of the SDK, so that a skill in Rust can be created with a copy of them.

use std::error::Error;
use std::path::{Path, PathBuf};

/// The files that a dependent crate compiles, without the tests of the SDK.
const SOURCES: [&str; 5] =
    ["sdk/Cargo.toml", "sdk/src", "sdk/wit", "sdk-macros/Cargo.toml", "sdk-macros/src"];

fn main() -> Result<(), Box<dyn Error>> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let crates = variable("CARGO_MANIFEST_DIR").ok_or("cargo sets CARGO_MANIFEST_DIR")?.join("..");
    let crates = crates.canonicalize()?;
    let mut list = String::from("&[\n");
    for source in SOURCES {
        let path = crates.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        for file in files(&path)? {
            let name = file.strip_prefix(&crates)?.to_str().ok_or("a file of the SDK has no UTF-8 name")?;
            list.push_str(&format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string()));
        }
    }
    list.push_str("]\n");
    let output = variable("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    Ok(std::fs::write(output.join("sdk_sources.rs"), list)?)
}

/// Returns the file, or every file below the directory, sorted.
fn files(path: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        found.extend(files(&entry?.path())?);
    }
    found.sort();
    Ok(found)
}

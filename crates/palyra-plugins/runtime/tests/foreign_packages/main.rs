//! Published WebAssembly modules: each loads, or is refused for the reason in the table.
//!
//! Only compiled with the feature `foreign`: `cargo xtask foreign` fetches the modules and runs this.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use palyra_common::JsonText;
use palyra_plugins_runtime::{Invocation, RuntimeConfig, WasmRuntime};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One module, one verdict: two lines each, in the order of the names.
const TABLE: &str = include_str!("../../../../../tests/fixtures/foreign.txt");

#[tokio::test]
async fn every_published_module_has_the_verdict_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/foreign/unpacked");
    let config = RuntimeConfig { max_concurrent_runs: 4, max_cached_modules: 1, ..RuntimeConfig::default() };
    let runtime = WasmRuntime::new(config).unwrap();
    let mut found = String::new();
    for path in wasm_files(&root) {
        let name = path.strip_prefix(&root).unwrap().display();
        let verdict = verdict(&runtime, &std::fs::read(&path).unwrap()).await;
        writeln!(found, "{name}\n    {verdict}").unwrap();
    }
    assert!(found == TABLE, "tests/fixtures/foreign.txt should be\n\n{found}");
}

async fn verdict(runtime: &WasmRuntime, bytes: &[u8]) -> String {
    let module = match runtime.load(bytes).await {
        Ok(module) => module,
        Err(error) => return format!("refused as {}: {error}", error.kind().wire_name()),
    };
    let report = runtime.invoke(&module, Invocation::tool("foreign", JsonText::empty_object())).await;
    match report.result {
        Ok(_) => "loaded, and can be called".to_owned(),
        Err(error) => format!("loaded, and a call ends as {}: {error}", error.kind().wire_name()),
    }
}

/// Every `.wasm` below a folder, sorted.
fn wasm_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { wasm_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "wasm"))
        .collect();
    files.sort();
    files
}

//! Integration tests of the runtime.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod compiling;
mod foreign;
mod fuel;
mod fuzz_seeds;
mod guest_failures;
mod guests;
mod harness;
#[path = "../host_memory/hoarder.rs"]
#[allow(dead_code, reason = "shared with the test that counts the heap")]
mod hoarder;
mod host_limits;
mod hostile_budgets;
mod hostile_doors;
mod hostile_isolation;
mod hostile_pointers;
mod modules;
mod smoke;
mod tape_limits;
mod tape_replay;
mod wasi;
mod wasi_files;
mod wasi_http;

/// A file without a `mod` declaration would be a test that never runs.
#[test]
fn every_file_is_claimed() {
    let claimed = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || claimed.contains(&format!("mod {module};")), "{name} is not claimed");
    }
}

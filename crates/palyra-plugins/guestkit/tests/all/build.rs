//! Building: the cache, its invalidation, and two concurrent builds.

use std::sync::{Arc, Barrier};

use palyra_plugins_guestkit::{BuildOptions, GuestkitError, WasmKind};

use crate::sandbox::Sandbox;

#[test]
fn a_guest_is_built_into_the_project_and_then_taken_from_the_cache() {
    let sandbox = Sandbox::new();
    let first = sandbox.build(&BuildOptions::default()).unwrap();
    assert_eq!(first.path, sandbox.path("target/guests/tiny.wasm"));
    assert!(!first.from_cache);
    assert_eq!(
        (first.shape.kind, first.shape.exports.as_slice()),
        (WasmKind::Module, &["one".to_owned()][..])
    );

    let bytes = std::fs::read(&first.path).unwrap();
    let modified = first.path.metadata().unwrap().modified().unwrap();
    assert!(sandbox.build(&BuildOptions::default()).unwrap().from_cache);
    assert_eq!(first.path.metadata().unwrap().modified().unwrap(), modified);

    std::fs::write(&first.path, "damaged").unwrap();
    assert!(sandbox.build(&BuildOptions::default()).unwrap().from_cache);
    assert_eq!(std::fs::read(&first.path).unwrap(), bytes);
}

#[test]
fn a_change_or_force_builds_again_and_the_same_source_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    let first = sandbox.build(&BuildOptions::default()).unwrap();
    let bytes = std::fs::read(&first.path).unwrap();
    let forced = sandbox.build(&BuildOptions { force: true, ..BuildOptions::default() }).unwrap();
    assert!(!forced.from_cache);
    assert_eq!(std::fs::read(&first.path).unwrap(), bytes);

    sandbox.write("tests/guests/tiny/guest.wat", "(module (func (export \"two\")))");
    let changed = sandbox.build(&BuildOptions::default()).unwrap();
    assert!(!changed.from_cache);
    assert_eq!(changed.shape.exports, ["two"]);
}

#[test]
fn another_output_file_can_be_named() {
    let sandbox = Sandbox::new();
    let out = sandbox.path("elsewhere/x.wasm");
    let built = sandbox.build(&BuildOptions { out: Some(out.clone()), force: false }).unwrap();
    assert_eq!(built.path, out);
    assert!(out.is_file() && !sandbox.path("target").exists());
}

#[test]
fn two_runs_at_once_build_once() {
    let sandbox = Arc::new(Sandbox::new());
    let start = Arc::new(Barrier::new(4));
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let (sandbox, start) = (Arc::clone(&sandbox), Arc::clone(&start));
            std::thread::spawn(move || {
                start.wait();
                sandbox.build(&BuildOptions::default()).unwrap().from_cache
            })
        })
        .collect();
    let from_cache: Vec<_> = runs.into_iter().map(|run| run.join().unwrap()).collect();
    assert_eq!(from_cache.iter().filter(|cached| !**cached).count(), 1, "{from_cache:?}");
}

#[test]
fn a_guest_that_does_not_assemble_leaves_the_old_file() {
    let sandbox = Sandbox::new();
    let built = sandbox.build(&BuildOptions::default()).unwrap();
    let bytes = std::fs::read(&built.path).unwrap();
    sandbox.write("tests/guests/tiny/guest.wat", "(module (func (export");
    assert!(matches!(sandbox.build(&BuildOptions::default()), Err(GuestkitError::WasmText(_))));
    assert_eq!(std::fs::read(&built.path).unwrap(), bytes);
}

#[test]
fn a_component_without_exports_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("tests/guests/tiny/guest.wat", "(component)");
    assert!(matches!(sandbox.build(&BuildOptions::default()), Err(GuestkitError::NoExports)));
    assert!(!sandbox.path("target").exists());
}

//! The guests of this repository: their descriptions are valid, and the hand-written one uses the core ABI only.

use palyra_plugins_guestkit::{BuildOptions, Guest, Kit, WantedRoute, WasmKind, build_guest, find_guests};

use crate::sandbox::real_project;

#[test]
fn every_guest_of_the_project_is_described_soundly() {
    let names: Vec<_> =
        find_guests(&real_project(), &[]).unwrap().iter().map(|guest| guest.name().to_owned()).collect();
    for name in ["counter-wat", "notes-js", "stats-python", "wordcount-c"] {
        assert!(names.iter().any(|known| known == name), "{name} is not among {names:?}");
    }
}

#[test]
fn the_hand_written_guest_imports_only_the_core_abi() {
    let directory = tempfile::tempdir().unwrap();
    let kit = Kit::new(directory.path().join("cache"), WantedRoute::Auto, |_| {});
    let guest = Guest::read(&real_project().join("examples/skills/counter-wat")).unwrap();
    let options = BuildOptions { out: Some(directory.path().join("counter.wasm")), force: false };
    let built = build_guest(&kit, &guest, &options).unwrap();
    assert_eq!(built.shape.kind, WasmKind::Module);
    assert_eq!(built.shape.exports, ["memory", "palyra_plugin_main"]);
    assert_eq!(
        built.shape.imports,
        [
            "palyra:plugin/io@1.0.0 input-length",
            "palyra:plugin/io@1.0.0 input-read",
            "palyra:plugin/io@1.0.0 output-write",
            "palyra:plugin/host-capabilities@1.0.0 storage-handle",
            "palyra:plugin/host-call@1.0.0 call",
            "palyra:plugin/host-call@1.0.0 response-read",
        ]
    );
}

//! The seeds of the fuzz targets, which include every input that once failed, as ordinary tests.

#[path = "../../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "it is a library elsewhere")]
mod fuzz;

/// Passes every seed of a target to its check, which panics on a failure.
#[allow(clippy::print_stderr, reason = "a broken promise is told with its seed")]
fn check_seeds(target: &str, check: impl Fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/seeds").join(target);
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        eprintln!("{}", path.display());
        check(&std::fs::read(path).unwrap());
        count += 1;
    }
    assert!(count > 4, "{count} seeds");
}

#[test]
fn core_abi_pointers() {
    check_seeds("core_abi_pointers", fuzz::check_core_calls);
}

#[test]
fn grant_grammar() {
    check_seeds("grant_grammar", |data| fuzz::check_grants(std::str::from_utf8(data).unwrap()));
}

#[test]
fn host_call_json() {
    check_seeds("host_call_json", fuzz::check_host_calls);
}

#[test]
fn tape_format() {
    check_seeds("tape_format", fuzz::check_tape);
}

//! G15: modules that take very long to compile.

use crate::environment::TestEnvironment;
use crate::guests::echo;
use insta::assert_snapshot;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Returns a small module that takes the compiler about a minute: thousands of variables, each of which may change at
/// each of thousands of branches.
pub(crate) fn bomb() -> Vec<u8> {
    const VARIABLES: usize = 4_000;
    let branch = |n: usize| {
        let (to, one, other) = (n % VARIABLES, (n * 7 + 3) % VARIABLES, (n * 13 + 5) % VARIABLES);
        format!("local.get {one} if local.get {one} local.get {other} i32.mul local.set {to} end ")
    };
    let branches: String = (0..12_000).map(branch).collect();
    let sum: String = (0..VARIABLES).map(|n| format!("local.get {n} i32.add ")).collect();
    let locals = "i32 ".repeat(VARIABLES);
    let text = format!(
        r#"(module (memory (export "memory") 1) (func (export "palyra_plugin_main") (result i32) (local {locals})
             loop {branches} local.get 0 br_if 0 end i32.const 0 {sum}))"#
    );
    wat::parse_str(&text).unwrap()
}

/// Returns the compiler processes with a time limit that only this test uses.
fn compilers(timeout_ms: &str) -> Vec<u32> {
    let is_compiler = |process: &Path| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        words.get(1) == Some(&b"__compile-module".as_slice()) && words.get(2) == Some(&timeout_ms.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let number = |process: &Path| process.file_name()?.to_str()?.parse().ok();
    processes.filter(|process| is_compiler(process)).filter_map(|process| number(&process)).collect()
}

/// Waits until the child has started its compiler.
pub(crate) fn until_compiling(child: &mut Child, timeout_ms: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while compilers(timeout_ms).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it compiled");
        assert!(Instant::now() < deadline, "it never compiled");
        std::thread::yield_now();
    }
}

/// Waits until no compiler runs: ending one takes a moment, but much less than compiling.
pub(crate) fn assert_no_compiler(timeout_ms: &str) {
    let deadline = Instant::now() + Duration::from_secs(15);
    while !compilers(timeout_ms).is_empty() {
        assert!(Instant::now() < deadline, "still compiling");
        std::thread::yield_now();
    }
}

#[test]
fn a_compile_bomb_is_ended_and_its_child_with_it() {
    let environment = TestEnvironment::new();
    environment.write("bomb.wasm", bomb());
    environment.write("echo.wat", echo());
    let limited = |module: &str, more: &[&str]| {
        environment.run(module, &[&["--compile-timeout-ms", "307", "--no-cache"], more].concat())
    };
    let ended = limited("bomb.wasm", &[]);
    assert_no_compiler("307");
    assert_snapshot!(ended.shown(), @"
    exit 17
    --- stderr
    error: the run exceeded its compile limit of 307ms
    ");
    let error = limited("bomb.wasm", &["--json"]).error();
    assert_eq!((&error["code"], &error["details"]["limit"]), (&"quota_exceeded".into(), &"compile".into()));
    // The next module compiles.
    assert_eq!(environment.run("echo.wat", &["--no-cache"]).code, 0);
}

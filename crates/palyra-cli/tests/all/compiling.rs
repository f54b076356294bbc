//! G15: modules that take very long to compile.

use crate::environment::TestEnvironment;
use crate::guests::echo;
use insta::assert_snapshot;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// One function of 7 MB, as long as the engine accepts: seconds of work for the compiler.
pub(crate) fn bomb() -> Vec<u8> {
    // local.get 0, local.get 1, i32.add, local.set 0
    let steps = [0x20, 0, 0x20, 1, 0x6a, 0x21, 0].repeat(1_000_000);
    // Two i32 locals, the steps, i32.const 0, end.
    let body = [&[1, 2, 0x7f][..], &steps, &[0x41, 0, 0x0b]].concat();
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    section(&mut module, 1, &[1, 0x60, 0, 1, 0x7f]);
    section(&mut module, 3, &[1, 0]);
    section(&mut module, 5, &[1, 0, 1]);
    let memory = [&[6][..], b"memory", &[2, 0]].concat();
    let entry = [&[18][..], b"palyra_plugin_main", &[0, 0]].concat();
    section(&mut module, 7, &[&[2][..], &memory, &entry].concat());
    section(&mut module, 10, &[&[1][..], &leb128(body.len()), &body].concat());
    module
}

fn section(module: &mut Vec<u8>, id: u8, content: &[u8]) {
    module.push(id);
    module.extend(leb128(content.len()));
    module.extend(content);
}

fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return bytes;
        }
    }
}

/// The processes that compile under a time limit that only this test uses.
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

pub(crate) fn assert_no_compiler(timeout_ms: &str) {
    assert_eq!(compilers(timeout_ms), Vec::<u32>::new());
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
    assert_snapshot!(ended.shown(), @"");
    let error = limited("bomb.wasm", &["--json"]).error();
    assert_eq!((&error["code"], &error["details"]["limit"]), (&"quota_exceeded".into(), &"compile".into()));
    // The next module compiles.
    assert_eq!(environment.run("echo.wat", &["--no-cache"]).code, 0);
}

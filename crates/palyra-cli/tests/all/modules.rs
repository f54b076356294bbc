//! Files that are not modules, and modules that cannot be run.

use crate::environment::TestEnvironment;
use crate::guests::echo;
use insta::assert_snapshot;

/// Returns exit code, `code` and message, after comparing both output formats.
fn refused(environment: &TestEnvironment, module: &str) -> String {
    let human = environment.run(module, &[]);
    let json = environment.run(module, &["--json"]);
    let error = json.error();
    assert_eq!(human.code, json.code);
    assert_eq!(human.stdout, "");
    let message = human.stderr.lines().find_map(|line| line.strip_prefix("error: "));
    assert_eq!(message, error["message"].as_str());
    if error["code"] == "invalid_input" {
        assert_eq!(error["details"]["subject"], "module");
    }
    let mut text =
        format!("{} {}: {}", json.code, error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
    for hint in error["hints"].as_array().unwrap() {
        text.push_str(&format!(" | {}", hint.as_str().unwrap()));
    }
    text
}

#[test]
fn files_that_cannot_be_read() {
    let environment = TestEnvironment::new();
    std::fs::create_dir(environment.path("directory.wasm")).unwrap();
    let fifo = environment.path("fifo.wasm");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    assert_snapshot!(refused(&environment, "missing.wasm"), @"2 usage: file `missing.wasm` does not exist");
    assert_snapshot!(refused(&environment, "directory.wasm"), @"2 usage: `directory.wasm` is a directory, not a file");
    assert_snapshot!(refused(&environment, "fifo.wasm"), @"2 usage: `fifo.wasm` is not a regular file");
    assert_snapshot!(refused(&environment, "/dev/zero"), @"2 usage: `/dev/zero` is not a regular file");
    // A file that can only be written, even by root.
    let unreadable = refused(&environment, "/proc/self/clear_refs");
    assert!(unreadable.starts_with("2 usage: cannot read `/proc/self/clear_refs`: "), "{unreadable}");
}

#[test]
fn files_that_are_not_modules() {
    let environment = TestEnvironment::new();
    environment.write("empty.wasm", "");
    environment.write("empty.wat", "");
    environment.write("text.wasm", "(module)");
    environment.write("picture.wasm", "GIF89a");
    environment.write("native.wasm", "\x7fELF rest");
    environment.write("cut.wasm", b"\0asm\x01\0\0\0\x01\x7f");
    environment.write("new.wasm", b"\0asm\x63\0\0\0");
    environment.write("typo.wat", "(module\n  (funk))");
    environment.write("binary.wat", b"\xff\xfe");
    let sparse = std::fs::File::create(environment.path("sparse.wasm")).unwrap();
    sparse.set_len(2 << 30).unwrap();
    assert_snapshot!(refused(&environment, "empty.wasm"), @"13 invalid_input: invalid module: it is empty");
    assert_snapshot!(refused(&environment, "empty.wat"), @"13 invalid_input: invalid module: expected at least one module field at empty.wat:1:1");
    assert_snapshot!(refused(&environment, "text.wasm"), @"13 invalid_input: invalid module: it is WebAssembly text, not binary | convert it, for example with `wat2wasm`");
    assert_snapshot!(refused(&environment, "picture.wasm"), @"13 invalid_input: invalid module: it does not start with the WebAssembly magic");
    assert_snapshot!(refused(&environment, "native.wasm"), @"13 invalid_input: invalid module: it is native code, not WebAssembly | ship the .wasm; Palyra compiles it itself");
    assert_snapshot!(refused(&environment, "cut.wasm"), @"13 invalid_input: invalid module: unexpected end-of-file (at offset 0xa)");
    assert_snapshot!(refused(&environment, "new.wasm"), @"13 invalid_input: invalid module: it has an unknown WebAssembly version");
    assert_snapshot!(refused(&environment, "typo.wat"), @"13 invalid_input: invalid module: expected valid module field at typo.wat:2:4");
    assert_snapshot!(refused(&environment, "binary.wat"), @"13 invalid_input: invalid module: failed to parse `binary.wat`: input bytes aren't valid utf-8");
    assert_snapshot!(refused(&environment, "sparse.wasm"), @"13 invalid_input: invalid module: it has 2147483648 bytes, more than 100663296");
}

#[test]
fn modules_of_another_world() {
    let environment = TestEnvironment::new();
    let importing = |module: &str, name: &str| format!(r#"(module (import "{module}" "{name}" (func)))"#);
    environment.write("env.wat", importing("env", "system"));
    environment.write("preview1.wat", importing("wasi_snapshot_preview1", "fd_write"));
    environment.write("invalid.wat", "(module (func (result i32)))");
    environment.write(
        "no-memory.wat",
        r#"(module (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#,
    );
    environment.write(
        "wrong-type.wat",
        r#"(module (memory (export "memory") 1) (func (export "palyra_plugin_main") (param i32)))"#,
    );
    environment.write("global.wat", r#"(module (global (export "palyra_plugin_main") i32 (i32.const 0)))"#);
    assert_snapshot!(refused(&environment, "env.wat"), @"13 invalid_input: invalid module: it cannot be linked: unknown import: `env::system` has not been defined | a core module imports from `palyra:plugin/io@1.0.0`, `palyra:plugin/host-capabilities@1.0.0`, `palyra:plugin/host-call@1.0.0` only");
    assert_snapshot!(refused(&environment, "preview1.wat"), @"13 invalid_input: invalid module: it cannot be linked: unknown import: `wasi_snapshot_preview1::fd_write` has not been defined | encode it as a component with the preview1 adapter: `guestkit component IN OUT`");
    assert_snapshot!(refused(&environment, "invalid.wat"), @"13 invalid_input: invalid module: failed to compile: wasm[0]::function[0]: WebAssembly translation error: Invalid input WebAssembly code at offset 24: type mismatch: expected i32 but nothing on stack");
    assert_snapshot!(refused(&environment, "no-memory.wat"), @"13 invalid_input: invalid module: it exports no memory called `memory`");
    assert_snapshot!(refused(&environment, "wrong-type.wat"), @"13 invalid_input: invalid module: its export `palyra_plugin_main` is not a function () -> i32");
    assert_snapshot!(refused(&environment, "global.wat"), @"13 invalid_input: invalid module: its export `palyra_plugin_main` is not a function");
}

#[test]
fn the_export_of_a_core_module() {
    let environment = TestEnvironment::new();
    environment.write("echo.wat", echo());
    environment.write("other.wat", echo().replace("palyra_plugin_main", "count_words"));
    assert_eq!(
        environment.run("echo.wat", &["--input", "[1]", "--json"]).json()["tool"],
        "palyra_plugin_main"
    );
    assert_eq!(
        environment.run("other.wat", &["--export", "count_words", "--json"]).json()["tool"],
        "count_words"
    );
    let named = ["--export", "count_words", "--tool", "words.count", "--json"];
    assert_eq!(environment.run("other.wat", &named).json()["tool"], "words.count");
    assert_snapshot!(environment.run("other.wat", &["--export", "count_word"]).shown(), @"
    exit 11
    --- stderr
    count_word ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 0 B of 64 MiB · 0 host calls · egress 0 B · code from the cache in [TIME]
    error: export `count_word` does not exist
    hint: did you mean `count_words`?
    hint: choose from `count_words`
    ");
    assert_snapshot!(environment.run("other.wat", &["-q"]).shown(), @"
    exit 11
    --- stderr
    error: export `palyra_plugin_main` does not exist
    hint: choose from `count_words`
    ");
}

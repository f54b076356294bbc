//! Files: every use is counted, on the tape and replayed from it; a use without a grant ends the run.

use crate::harness::*;
use palyra_common::{Denial, RuntimeLimits, WasmPluginRunError};
use palyra_plugins_runtime::{Invocation, LoadedModule, ReplayVerdict, RunReport, Tape, WasmRuntime};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Directories `docs` and `out` and the grants for them.
struct Folders {
    _folder: tempfile::TempDir,
    root: PathBuf,
    grants: [String; 2],
}

impl Folders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for directory in ["docs", "out"] {
            std::fs::create_dir(root.join(directory)).unwrap();
        }
        std::fs::write(root.join("docs/a.txt"), "hello").unwrap();
        let grants =
            [format!("fs-read:docs={}/docs", root.display()), format!("fs-write:out={}/out", root.display())];
        Self { _folder: folder, root, grants }
    }

    fn grants(&self) -> Vec<&str> {
        self.grants.iter().map(String::as_str).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

async fn probe(runtime: &WasmRuntime, tool: &str, path: &str, grants: &[&str]) -> RunReport {
    let module = load(runtime, &built_guest("wasi-probe")).await;
    let call = call(&format!("probe.{tool}"), &json!(path).to_string());
    runtime.invoke(&module, granted(call, grants)).await
}

fn denial(report: &RunReport) -> &Denial {
    match error(report) {
        WasmPluginRunError::CapabilityDenied(denial) => denial,
        other => panic!("{other:?}"),
    }
}

async fn replay(runtime: &WasmRuntime, module: &LoadedModule, live: &RunReport) -> RunReport {
    let tape = Arc::new(Tape::decode(&live.tape.encode()).unwrap());
    let header = tape.header.clone();
    let invocation = Invocation {
        entry: header.entry,
        grants: header.grants,
        limits: header.limits,
        replay: Some(tape),
        ..call("t", header.input.as_str())
    };
    runtime.invoke(module, invocation).await
}

#[tokio::test]
async fn open_outside_the_grants_ends_the_run_and_names_the_grant() {
    let (runtime, folders) = (runtime(), Folders::new());
    std::fs::write(folders.path("secret.txt"), "outside").unwrap();
    std::os::unix::fs::symlink("../secret.txt", folders.path("docs/link")).unwrap();
    let write_docs = folders.grants[0].replace("fs-read:", "fs-write:");
    for (tool, path, grant) in [
        ("read", "/etc/passwd", Some("fs-read:etc=DIRECTORY")),
        ("list", "/srv", Some("fs-read:srv=DIRECTORY")),
        ("write", "/var/x", Some("fs-write:var=DIRECTORY")),
        ("read", "/docs/../etc/passwd", Some("fs-read:etc=DIRECTORY")),
        ("write", "/docs/b.txt", Some(write_docs.as_str())),
        ("read", "/docs/link", None),
        ("write", "/b.txt", None),
    ] {
        let report = probe(&runtime, tool, path, &folders.grants()).await;
        let denial = denial(&report);
        assert_eq!(denial.grant.as_deref(), grant, "{tool} {path}: {denial}");
        let denied: Vec<_> = report.host_calls.iter().filter(|call| call.outcome == "denied").collect();
        assert_eq!(denied.len(), 1, "{tool} {path}: {:?}", report.host_calls);
        assert!(denied[0].op.starts_with("fs."), "{denied:?}");
    }
    assert!(!folders.path("docs/b.txt").exists());
    assert_eq!(denial(&probe(&runtime, "read", "/etc/passwd", &[]).await).subject, "/etc/passwd");
}

#[tokio::test]
async fn granted_paths_are_reached_from_every_side() {
    let (runtime, folders) = (runtime(), Folders::new());
    for path in ["/docs/a.txt", "/docs/./a.txt", "/out/../docs/a.txt", "/docs/../docs/a.txt"] {
        assert_eq!(output(&probe(&runtime, "read", path, &folders.grants()).await), "hello", "{path}");
    }
    // With `.` and `..`, which the C library adds.
    assert_eq!(output(&probe(&runtime, "list", "/", &folders.grants()).await), "4 entries");
    assert_eq!(output(&probe(&runtime, "list", "/", &[]).await), "2 entries");
}

#[tokio::test]
async fn file_access_is_counted_traced_and_taped() {
    let (runtime, folders) = (runtime(), Folders::new());
    let report = probe(&runtime, "read", "/docs/a.txt", &folders.grants()).await;
    let calls: Vec<(&str, &str, &str)> =
        report.host_calls.iter().map(|call| (call.op, call.subject.as_str(), call.outcome)).collect();
    assert_eq!(calls, [("fs.open", "/docs/a.txt", "ok"), ("fs.read", "/docs/a.txt", "ok")]);
    assert_eq!(report.usage.host_calls, 2);
    let steps: Vec<&str> = report.tape.steps.iter().map(|step| step.op.as_str()).collect();
    assert!(steps.contains(&"fs.open") && steps.contains(&"fs.read"), "{steps:?}");
    let report = probe(&runtime, "write", "/out/b.txt", &folders.grants()).await;
    assert_eq!(std::fs::read_to_string(folders.path("out/b.txt")).unwrap(), "written");
    let ops: Vec<&str> = report.host_calls.iter().map(|call| call.op).collect();
    assert_eq!(ops, ["fs.open", "fs.write"]);
    let missing = probe(&runtime, "read", "/docs/none.txt", &folders.grants()).await;
    assert_eq!(missing.host_calls[0].outcome, "no_entry", "a missing file of a granted root is no denial");
    assert!(missing.result.is_ok());
}

#[tokio::test]
async fn replay_reads_files_from_the_tape_and_touches_none() {
    let (runtime, folders) = (runtime(), Folders::new());
    let large: String = "0123456789abcdef".repeat(200);
    std::fs::write(folders.path("docs/large.txt"), &large).unwrap();
    let module = load(&runtime, &built_guest("wasi-probe")).await;
    let grants = folders.grants();
    let mut recorded = Vec::new();
    for (tool, path) in [
        ("read", "/docs/a.txt"),
        ("read", "/docs/large.txt"),
        ("list", "/docs"),
        ("read", "/docs/none.txt"),
        ("write", "/out/b.txt"),
        ("read", "/etc/passwd"),
    ] {
        recorded.push((tool, path, probe(&runtime, tool, path, &grants).await));
    }
    std::fs::remove_dir_all(folders.path("docs")).unwrap();
    std::fs::write(folders.path("out/b.txt"), "X").unwrap();
    for (tool, path, live) in recorded {
        let again = replay(&runtime, &module, &live).await;
        assert_eq!(again.replay, Some(ReplayVerdict::Identical), "{tool} {path}");
        assert_eq!(again.usage.host_calls, live.usage.host_calls, "{tool} {path}");
    }
    assert_eq!(std::fs::read_to_string(folders.path("out/b.txt")).unwrap(), "X");
    assert_eq!(names(&folders.path("out")), ["b.txt"]);
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn replay_notices_other_bytes_on_their_way_into_a_file() {
    let (runtime, folders) = (runtime(), Folders::new());
    let module = load(&runtime, &built_guest("wasi-probe")).await;
    let mut live = probe(&runtime, "write", "/out/b.txt", &folders.grants()).await;
    let write = live.tape.steps.iter_mut().find(|step| step.op == "fs.write").unwrap();
    write.request["bytes"]["sha256"] = json!("00");
    match replay(&runtime, &module, &live).await.replay {
        Some(ReplayVerdict::Diverged(divergence)) => assert_eq!(divergence.what, "request"),
        other => panic!("{other:?}"),
    }
}

/// A tape of version 1 has no files: its replay stops where it would need one.
#[tokio::test]
async fn replay_of_a_version_1_tape_opens_no_directory() {
    let (runtime, folders) = (runtime(), Folders::new());
    let module = load(&runtime, &built_guest("wasi-probe")).await;
    let mut live = probe(&runtime, "write", "/out/b.txt", &folders.grants()).await;
    std::fs::remove_file(folders.path("out/b.txt")).unwrap();
    live.tape.header.schema = "palyra.tape/v1".into();
    live.tape.header.limits.max_tape_bytes = palyra_common::limits::NO_TAPE_LIMIT;
    live.tape.steps.clear();
    live.tape.end.open = true;
    match replay(&runtime, &module, &live).await.replay {
        Some(ReplayVerdict::Diverged(divergence)) => assert_eq!(divergence.what, "files"),
        other => panic!("{other:?}"),
    }
    assert!(!folders.path("out/b.txt").exists());
}

/// Looks up `/etc/passwd` during start-up. Its tool does so again depending on the input: `1` reads the target of a
/// link, `2` opens.
const PROBES_AT_START: &str = r#"(component
  (import "palyra:plugin/types@1.0.0" (instance $plugin
    (type $record (record (field "code" string) (field "message" string) (field "details-json" (option string))))
    (export "tool-error" (type (eq $record)))))
  (alias export $plugin "tool-error" (type $tool-error))
  (import "wasi:filesystem/types@0.2.0" (instance $types
    (export "descriptor" (type $descriptor (sub resource)))
    (type $codes (enum "access" "would-block" "already" "bad-descriptor" "busy" "deadlock" "quota" "exist" "file-too-large"
      "illegal-byte-sequence" "in-progress" "interrupted" "invalid" "io" "is-directory" "loop" "too-many-links" "message-size"
      "name-too-long" "no-device" "no-entry" "no-lock" "insufficient-memory" "insufficient-space" "not-directory" "not-empty"
      "not-recoverable" "unsupported" "no-tty" "no-such-device" "overflow" "not-permitted" "pipe" "read-only" "invalid-seek"
      "text-file-busy" "cross-device"))
    (export "error-code" (type $error-code (eq $codes)))
    (type $follow (flags "symlink-follow"))
    (export "path-flags" (type $path-flags (eq $follow)))
    (type $open (flags "create" "directory" "exclusive" "truncate"))
    (export "open-flags" (type $open-flags (eq $open)))
    (type $mode (flags "read" "write" "file-integrity-sync" "data-integrity-sync" "requested-write-sync" "mutate-directory"))
    (export "descriptor-flags" (type $descriptor-flags (eq $mode)))
    (export "[method]descriptor.readlink-at" (func (param "self" (borrow $descriptor)) (param "path" string)
      (result (result string (error $error-code)))))
    (export "[method]descriptor.open-at" (func (param "self" (borrow $descriptor)) (param "path-flags" $path-flags)
      (param "path" string) (param "open-flags" $open-flags) (param "flags" $descriptor-flags)
      (result (result (own $descriptor) (error $error-code)))))))
  (alias export $types "descriptor" (type $descriptor))
  (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
    (alias outer 1 $descriptor (type $outer))
    (export "descriptor" (type $own (eq $outer)))
    (export "get-directories" (func (result (list (tuple (own $own) string)))))))
  (core module $room
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 4096))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (local.get $at)))
  (core instance $space (instantiate $room))
  (core func $readlink (canon lower (func $types "[method]descriptor.readlink-at")
    (memory $space "memory") (realloc (func $space "realloc"))))
  (core func $open-at (canon lower (func $types "[method]descriptor.open-at") (memory $space "memory")))
  (core func $directories (canon lower (func $preopens "get-directories")
    (memory $space "memory") (realloc (func $space "realloc"))))
  (core module $code
    (import "space" "memory" (memory 1))
    (import "wasi" "readlink" (func $readlink (param i32 i32 i32 i32)))
    (import "wasi" "open-at" (func $open-at (param i32 i32 i32 i32 i32 i32 i32)))
    (import "wasi" "directories" (func $directories (param i32)))
    (global $top (mut i32) (i32.const 0))
    (data (i32.const 200) "etc/passwd")
    (data (i32.const 300) "true")
    (func $look (call $readlink (global.get $top) (i32.const 200) (i32.const 10) (i32.const 100)))
    (func $open (call $open-at (global.get $top) (i32.const 1) (i32.const 200) (i32.const 10) (i32.const 0) (i32.const 1) (i32.const 100)))
    (func $start
      (call $directories (i32.const 100))
      ;; The last of the list is `/`; an element has the descriptor and the two words of its name.
      (global.set $top (i32.load (i32.add (i32.load (i32.const 100))
        (i32.mul (i32.sub (i32.load offset=4 (i32.const 100)) (i32.const 1)) (i32.const 12)))))
      (call $look)
      (call $open))
    (start $start)
    (func (export "invoke") (param i32 i32 i32 i32) (result i32)
      (if (i32.eq (i32.load8_u (local.get 2)) (i32.const 49)) (then (call $look)))
      (if (i32.eq (i32.load8_u (local.get 2)) (i32.const 50)) (then (call $open)))
      (i32.store8 (i32.const 400) (i32.const 0))
      (i32.store offset=4 (i32.const 400) (i32.const 300))
      (i32.store offset=8 (i32.const 400) (i32.const 4))
      (i32.const 400)))
  (core instance $run (instantiate $code
    (with "space" (instance $space))
    (with "wasi" (instance (export "readlink" (func $readlink)) (export "open-at" (func $open-at))
      (export "directories" (func $directories))))))
  (func $invoke (param "tool-id" string) (param "input-json" string) (result (result string (error $tool-error)))
    (canon lift (core func $run "invoke") (memory $space "memory") (realloc (func $space "realloc"))))
  (instance $tools (export "invoke" (func $invoke)))
  (export "palyra:plugin/tools@1.0.0" (instance $tools)))"#;

#[tokio::test]
async fn start_up_code_finds_nothing_and_is_not_denied() {
    let runtime = runtime();
    let module = load(&runtime, &wat(PROBES_AT_START)).await;
    for (input, denied, steps) in [
        ("0", false, &["fs.readlink", "fs.open"][..]),
        ("1", false, &["fs.readlink", "fs.open", "fs.readlink"]),
        ("2", true, &["fs.readlink", "fs.open", "fs.open"]),
    ] {
        let report = runtime.invoke(&module, call("t", input)).await;
        assert_eq!(report.result.is_err(), denied, "{input}: {:?}", report.result);
        let taped: Vec<&str> = report.tape.steps.iter().map(|step| step.op.as_str()).collect();
        assert_eq!(taped, steps, "{input}");
        assert_eq!(report.tape.steps[0].answer, json!({ "Err": { "file": "no_entry" } }), "{input}");
        assert_eq!(report.usage.host_calls, u64::from(denied), "{input}");
        if denied {
            assert_eq!(denial(&report).grant.as_deref(), Some("fs-read:etc=DIRECTORY"));
        }
        let again = replay(&runtime, &module, &report).await;
        assert_eq!(again.replay, Some(ReplayVerdict::Identical), "{input}");
    }
}

#[tokio::test]
async fn directory_listing_counts_as_memory_while_it_is_read() {
    let (runtime, folders) = (runtime(), Folders::new());
    let module = load(&runtime, &built_guest("wasi-probe")).await;
    let list = |max_memory_bytes| {
        let limits =
            RuntimeLimits { max_memory_bytes, fuel_budget: 1_000_000_000, ..RuntimeLimits::default() };
        granted(Invocation { limits, ..call("probe.list", "\"/docs\"") }, &folders.grants())
    };
    let few = runtime.invoke(&module, list(64 << 20)).await;
    assert!(few.result.is_ok(), "{:?}", few.result);
    // 4,000 names of 200 bytes are about a mebibyte.
    for number in 0..4_000 {
        std::fs::write(folders.path(&format!("docs/{number:0>200}")), "").unwrap();
    }
    let barely = few.usage.peak_memory_bytes + (256 << 10);
    assert_eq!(kind(&runtime.invoke(&module, list(barely)).await), "quota_exceeded(memory)");
    let many = runtime.invoke(&module, list(64 << 20)).await;
    assert!(many.result.is_ok(), "{:?}", many.result);
    assert!(many.usage.peak_memory_bytes > few.usage.peak_memory_bytes + (1 << 20));
    assert_eq!(replay(&runtime, &module, &many).await.replay, Some(ReplayVerdict::Identical));
}

#[tokio::test]
async fn path_over_4_kib_is_an_error_for_the_guest() {
    let (runtime, folders) = (runtime(), Folders::new());
    let path = |length: usize| format!("/docs/{}", "a/".repeat(length / 2));
    // 37 is `ENAMETOOLONG` and 44 `ENOENT` of the guest's C library.
    let short = probe(&runtime, "read", &path(4_000), &folders.grants()).await;
    assert_eq!(output(&short), "error 44");
    let long = probe(&runtime, "read", &path(4_200), &folders.grants()).await;
    assert_eq!(output(&long), "error 37");
}

//! Recording a run and running it again from its tape.

use crate::environment::{TestEnvironment, serve};
use crate::guests::{RELAY, calls, echo, endless};
use insta::assert_snapshot;
use palyra_egress::testing::TestReply;
use std::os::unix::fs::MetadataExt;

/// Creates an environment with the tape of a run that used storage.
fn recorded() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    environment.write("echo.wat", echo());
    let input = calls(
        "{'op':'storage.put','handle':&,'key':'a','value_text':'first'}|\
         {'op':'run.remaining-milliseconds'}|{'op':'storage.get','handle':&,'key':'a'}",
    );
    let ran =
        environment.run("relay.wat", &["--input", &input, "--grant", "storage:notes/", "--record", "a.tape"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(ran.stderr.ends_with("tape written to a.tape\n"), "{}", ran.stderr);
    environment
}

/// Edits the tape and replays it.
fn replay_edited(from: &str, to: &str) -> String {
    let environment = recorded();
    let tape = environment.read("a.tape");
    assert!(tape.contains(from), "{tape}");
    environment.write("a.tape", tape.replacen(from, to, 1));
    environment.run("relay.wat", &["--replay", "a.tape"]).shown()
}

#[test]
fn a_replay_is_identical() {
    let environment = recorded();
    assert_eq!(environment.path("a.tape").metadata().unwrap().mode() & 0o777, 0o600);
    assert_snapshot!(environment.run("relay.wat", &["--replay", "a.tape"]).shown(), @r#"
    exit 0
    --- stdout
    {
      "ok": {
        "value_base64": "Zmlyc3Q=",
        "value_text": "first"
      }
    }
    --- stderr
    replay: identical to the tape, 3 steps
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code from the cache in [TIME]
    "#);
    let json = environment.run("relay.wat", &["--replay", "a.tape", "--json"]).json();
    assert_eq!(json["replay"], serde_json::json!({ "verdict": "identical" }));
    assert_eq!(json["result"]["ok"]["value_text"], "first");
    assert_eq!(json["host_calls"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_replay_does_not_touch_the_network() {
    let (server, url) = serve(|_| TestReply::ok("once")).await;
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    let input =
        calls(&format!("{{'op':'http.send','handle':#,'request':{{'method':'GET','url':'{url}/'}}}}"));
    let grant = format!("http:GET {url}/");
    let live =
        environment.run("relay.wat", &["--input", &input, "--grant", &grant, "--record", "a.tape", "--json"]);
    let replay = environment.run("relay.wat", &["--replay", "a.tape", "--json"]).json();
    assert_eq!(replay["result"], live.json()["result"]);
    assert_eq!(replay["replay"]["verdict"], "identical");
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_replay_with_something_changed_says_where_and_what() {
    let environment = recorded();
    assert_snapshot!(environment.run("echo.wat", &["--replay", "a.tape"]).shown(), @"
    exit 1
    --- stderr
    error: the replay diverged from its tape before the first step: the module differs
      expected: [SHA256]
      found: [SHA256]
    hint: the tape was recorded with another module; record a new one with `--record`
    ");
    assert_snapshot!(environment.run("relay.wat", &["--replay", "a.tape", "--input", "1"]).shown(), @r#"
    exit 1
    --- stderr
    error: the replay diverged from its tape before the first step: the input differs
      expected: "{'op':'storage.put','handle':&,'key':'a','value_text':'first'}|{'op':'run.remaining-milliseconds'}|{'op':'storage.get','handle':&,'key':'a'}"
      found: 1
    "#);
    let json = environment.run("relay.wat", &["--replay", "a.tape", "--input", "1", "--json"]);
    let error = json.error();
    assert_eq!((json.code, &error["code"]), (1, &"diverged".into()));
    assert_eq!((&error["details"]["step"], &error["details"]["what"]), (&0.into(), &"input".into()));
    assert_eq!(error["details"]["report"]["replay"]["verdict"], "diverged");
}

#[test]
fn a_tape_with_an_edited_answer_or_request() {
    // `Zmlyc3Q=` is `first`.
    assert_snapshot!(replay_edited("Zmlyc3Q=", "b3RoZXI="), @r#"
    exit 1
    --- stderr
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 4: the output differs
      expected: {"ok":{"value_base64":"Zmlyc3Q=","value_text":"first"}}
      found: {"ok":{"value_base64":"b3RoZXI=","value_text":"other"}}
    "#);
    assert_snapshot!(replay_edited(r#""op":"storage.get""#, r#""op":"storage.list""#), @"
    exit 1
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 3: the op differs
      expected: storage.list
      found: storage.get
    ");
    assert_snapshot!(replay_edited(r#""request":{"key":"notes/a"}"#, r#""request":{"key":"notes/b"}"#), @r#"
    exit 1
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 3: the request differs
      expected: {"key":"notes/b"}
      found: {"key":"notes/a"}
    "#);
    assert_snapshot!(replay_edited(r#""answer":{"Ok":"Zm"#, r#""answer":{"Ko":"Zm"#), @"
    exit 1
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 3: the answer differs
      expected: an answer of this operation
      found: unknown variant `Ko`, expected `Ok` or `Err`
    ");
    assert_snapshot!(replay_edited(r#""outcome":"ok""#, r#""outcome":"trapped""#), @"
    exit 1
    --- stderr
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 4: the outcome differs
      expected: trapped
      found: ok
    ");
}

#[test]
fn a_file_that_is_not_a_tape() {
    assert_snapshot!(replay_edited("{\"step\"", "{ \"step\""), @"
    exit 1
    --- stderr
    error: `a.tape` is not a tape: the tape is not in its normal form at line 2
    hint: a tape must be byte-for-byte as it was written; this one was reformatted
    ");
    assert_snapshot!(replay_edited("{\"step\"", "{\"stop\""), @"
    exit 1
    --- stderr
    error: `a.tape` is not a tape: invalid line 2 of the tape: unknown variant `stop`, expected one of `tape`, `step`, `blob`, `end` at line 1 column 7
    hint: record a tape with `palyra run --record FILE`
    ");
    assert_snapshot!(replay_edited("palyra.tape/v2", "palyra.tape/v9"), @"
    exit 1
    --- stderr
    error: `a.tape` is not a tape: invalid line 1 of the tape: its schema is not `palyra.tape/v2` or `palyra.tape/v1`
    hint: record a tape with `palyra run --record FILE`
    ");
    let environment = recorded();
    let tape = environment.read("a.tape");
    let cut = tape.lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    environment.write("cut.tape", cut);
    environment.write("empty.tape", "");
    assert_snapshot!(environment.run("relay.wat", &["--replay", "cut.tape"]).shown(), @"
    exit 1
    --- stderr
    error: `cut.tape` is not a tape: the tape is truncated after line 2
    hint: the file is truncated; record it again with `--record`
    ");
    assert_snapshot!(environment.run("relay.wat", &["--replay", "empty.tape", "--json"]).shown(), @r#"
    exit 1
    --- stderr
    {"error":{"code":"bad_tape","message":"`empty.tape` is not a tape: invalid line 1 of the tape: EOF while parsing a value at line 1 column 0","hints":["record a tape with `palyra run --record FILE`"],"details":{"line":1,"path":"empty.tape"}}}
    "#);
    assert_snapshot!(environment.run("relay.wat", &["--replay", "none.tape"]).shown(), @"
    exit 2
    --- stderr
    error: file `none.tape` does not exist
    ");
    assert_snapshot!(environment.run("relay.wat", &["--replay", "."]).shown(), @"
    exit 2
    --- stderr
    error: `.` is a directory, not a file
    ");
}

#[test]
fn a_run_that_failed_replays_as_it_failed() {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    let input = calls("{'op':'storage.get','handle':77,'key':'a'}");
    let failed = environment.run("relay.wat", &["--input", &input, "--record", "a.tape"]);
    assert_eq!(failed.code, 16);
    assert_snapshot!(environment.run("relay.wat", &["--replay", "a.tape"]).shown(), @"
    exit 0
    --- stderr
    replay: identical to the tape, which ends with `capability_denied`, 0 steps
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 1 host call · egress 0 B · code from the cache in [TIME]
    ");
    let json = environment.run("relay.wat", &["--replay", "a.tape", "--json"]).json();
    assert_eq!(
        (&json["result"], &json["error"]["code"]),
        (&serde_json::Value::Null, &"capability_denied".into())
    );
}

#[test]
fn a_run_that_was_ended_by_time_promises_its_prefix() {
    let environment = TestEnvironment::new();
    environment.write("endless.wat", endless());
    let limits = ["--limit", "fuel=1000000000000", "--limit", "timeout=50ms", "--record", "a.tape"];
    assert_eq!(environment.run("endless.wat", &limits).code, 18);
    assert_snapshot!(environment.run("endless.wat", &["--replay", "a.tape"]).shown(), @"
    exit 0
    --- stderr
    replay: identical up to the point where the recorded run was ended (`timed_out`), 0 steps
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 1,000,000,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code from the cache in [TIME]
    ");
}

#[test]
fn a_revealed_secret_is_needed_again() {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    environment.write("token.txt", "a long enough value");
    environment.write("other.txt", "another long value");
    let reveal = calls("{'op':'secrets.reveal','handle':$}");
    let flags = [
        "--input",
        &reveal,
        "--grant",
        "secret:global/token reveal",
        "--secret",
        "token=@token.txt",
        "--record",
        "a.tape",
    ];
    assert_eq!(environment.run("relay.wat", &flags).code, 0);
    let replay = |more: &[&str]| environment.run("relay.wat", &[&["--replay", "a.tape"], more].concat());
    assert_eq!(replay(&["--secret", "token=@token.txt"]).code, 0);
    assert_snapshot!(replay(&[]).shown(), @"
    exit 1
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 1 host call · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 1: the secret differs
      expected: the revealed value
      found: no such secret
    hint: pass the secret of the recorded run with `--secret NAME=@FILE`
    ");
    assert_snapshot!(replay(&["--secret", "token=@other.txt"]).shown(), @"
    exit 1
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 1 host call · egress 0 B · code from the cache in [TIME]
    error: the replay diverged from its tape at step 1: the secret differs
      expected: the revealed value
      found: another value
    hint: pass the secret of the recorded run with `--secret NAME=@FILE`
    ");
}

/// Files are read from the tape, and writes are only compared: no directory is opened, with or without the grant.
#[test]
fn replay_with_a_directory_to_write_to_overwrites_nothing() {
    let environment = TestEnvironment::new();
    let guest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/guests/wasi-probe.wasm");
    std::fs::create_dir(environment.path("out")).unwrap();
    let directory = environment.path("out").canonicalize().unwrap();
    let grant = format!("fs-write:out={}", directory.display());
    let call = ["--tool", "probe.write", "--input", "\"/out/b.txt\"", "--json"];
    let live =
        environment.run(guest, &[&call[..], &["--grant", &grant, "--record", "a.tape"]].concat()).json();
    assert_eq!((&live["result"], environment.read("out/b.txt").as_str()), (&"ok".into(), "written"));
    let ops: Vec<&str> =
        live["host_calls"].as_array().unwrap().iter().map(|call| call["op"].as_str().unwrap()).collect();
    assert_eq!(ops, ["fs.open", "fs.write"]);
    environment.write("out/b.txt", "X");
    for grants in [&["--grant", grant.as_str()][..], &[]] {
        let replay = environment.run(guest, &[&["--replay", "a.tape", "--json"], grants].concat()).json();
        assert_eq!(replay["replay"]["verdict"], "identical", "{replay}");
        assert_eq!(environment.read("out/b.txt"), "X");
    }
    std::fs::remove_dir_all(directory).unwrap();
    let replay = environment.run(guest, &["--replay", "a.tape", "--json"]).json();
    assert_eq!((&replay["replay"]["verdict"], &replay["result"]), (&"identical".into(), &"ok".into()));
}

#[test]
fn flags_that_the_tape_decides() {
    let environment = recorded();
    for flags in [
        ["--tool", "a.b"],
        ["--export", "x"],
        ["--grant", "storage:notes/"],
        ["--limit", "fuel=1"],
        ["--config", "{}"],
        ["--record", "b.tape"],
        ["--storage-dir", "store"],
        ["--ca-file", "echo.wat"],
    ] {
        let ran = environment.run("relay.wat", &[&["--replay", "a.tape"], &flags[..]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flags:?} {}", ran.shown());
        assert!(ran.stderr.contains(flags[0]), "{}", ran.stderr);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_noticed_before_the_run() {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    let input = calls("{'op':'storage.put','handle':&,'key':'a','value_text':'v'}");
    let record = |target: &str| {
        let flags =
            ["--input", &input, "--grant", "storage:a/", "--storage-dir", "store", "--record", target];
        environment.run("relay.wat", &flags).shown()
    };
    assert_snapshot!(record("none/a.tape"), @"
    exit 2
    --- stderr
    error: cannot use the directory of the tape `none`: no such directory
    ");
    assert_snapshot!(record("."), @"
    exit 2
    --- stderr
    error: cannot write the tape `.`: it is a directory
    ");
    assert_snapshot!(record("/proc/a.tape"), @"
    exit 2
    --- stderr
    error: cannot use the directory of the tape `/proc`: cannot create files in it
    ");
    assert_eq!(std::fs::read_dir(environment.path("store")).unwrap().count(), 0, "the guest ran");
}

#[test]
fn nothing_is_left_behind_when_there_was_no_run() {
    let environment = TestEnvironment::new();
    environment.write("broken.wat", r#"(module (import "env" "x" (func)))"#);
    assert_eq!(environment.run("broken.wat", &["--record", "a.tape"]).code, 13);
    assert_eq!(std::fs::read_dir(environment.path("")).unwrap().count(), 1);
}

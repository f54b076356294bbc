//! Every way a run can fail, in the output for people and for programs.

use crate::environment::{Ran, TestEnvironment};
use crate::guests::{
    RELAY, calls, circling, core, described, echo, endless, growing, recursive, says, talkative, trapping,
};
use insta::assert_snapshot;

/// Returns the human form of an error; asserts that the JSON form has the same message and the report of the run.
fn failed(environment: &TestEnvironment, module: &str, arguments: &[&str]) -> String {
    let human = environment.run(module, arguments);
    let json = environment.run(module, &[arguments, &["--json"]].concat());
    assert_eq!(human.code, json.code);
    let error = json.error();
    let message = error["message"].as_str().unwrap();
    assert!(human.stderr.contains(&format!("error: {message}\n")), "{}", human.stderr);
    for hint in error["hints"].as_array().unwrap() {
        assert!(human.stderr.contains(&format!("hint: {}\n", hint.as_str().unwrap())), "{}", human.stderr);
    }
    format!("code {}\n{}", error["code"].as_str().unwrap(), human.shown())
}

/// Returns the flag that a hint suggests between backticks.
fn advice(ran: &Ran) -> Vec<String> {
    let error = ran.error();
    let hint = error["hints"][0].as_str().unwrap();
    let flag = hint.split('`').nth(1).unwrap();
    let (name, value) = flag.split_once(' ').unwrap();
    vec![name.to_owned(), value.trim_matches('\'').to_owned()]
}

#[test]
fn not_found() {
    let environment = TestEnvironment::new();
    environment.write("words.wasm", described(&["words.count", "words.split"]));
    assert_snapshot!(failed(&environment, "words.wasm", &["--tool", "words.cuont"]), @"
    code not_found
    exit 11
    --- stderr
    error: tool `words.cuont` does not exist
    hint: did you mean `words.count`?
    hint: choose from `words.count`, `words.split`
    ");
    assert_eq!(
        environment.run("words.wasm", &["--tool", "zebra", "--json"]).error()["details"]["known"][1],
        "words.split"
    );
}

#[test]
fn invalid_output() {
    let environment = TestEnvironment::new();
    environment.write("not-json.wat", says("{not json", 9, 0));
    environment.write("not-utf8.wat", says("\\22\\ff\\22", 3, 0));
    environment.write("nothing.wat", core("(i32.const 0)"));
    assert_snapshot!(failed(&environment, "not-json.wat", &[]), @"
    code invalid_output
    exit 14
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: invalid output of the tool: it is not JSON: key must be a string at line 1 column 2
    ");
    assert_snapshot!(failed(&environment, "not-utf8.wat", &[]), @"
    code invalid_output
    exit 14
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: invalid output of the tool: it is not UTF-8 at byte 1
    ");
    assert_snapshot!(failed(&environment, "nothing.wat", &[]), @"
    code invalid_output
    exit 14
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: invalid output of the tool: it is not JSON: EOF while parsing a value at line 1 column 0
    ");
}

#[test]
fn quota_exceeded_by_fuel_and_the_advice_helps() {
    let environment = TestEnvironment::new();
    environment.write("endless.wat", endless());
    environment.write("circling.wat", circling());
    assert_snapshot!(failed(&environment, "endless.wat", &[]), @"
    code quota_exceeded
    exit 17
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the run exceeded its fuel limit of 10000000
    hint: allow more with `--limit fuel=20000000`
    ");
    let starved = environment.run("circling.wat", &["--limit", "fuel=500", "--json"]);
    let advice = advice(&starved);
    let fed = environment.run("circling.wat", &[&advice[0], &advice[1], "--json"]);
    assert_eq!(fed.json()["result"], serde_json::json!(1), "{advice:?}");
}

#[test]
fn quota_exceeded_by_memory_and_the_advice_helps() {
    let environment = TestEnvironment::new();
    environment.write("growing.wat", growing());
    assert_snapshot!(failed(&environment, "growing.wat", &[]), @"
    code quota_exceeded
    exit 17
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the run exceeded its memory limit of 64MiB
    hint: allow more with `--limit memory=256512KiB`
    ");
    let advice = advice(&environment.run("growing.wat", &["--json"]));
    let grown = environment.run("growing.wat", &[&advice[0], &advice[1], "--json"]).json();
    assert_eq!(grown["usage"]["peak_memory_bytes"], 2_004 * 65_536, "{advice:?}");
}

#[test]
fn quota_exceeded_by_output_stack_and_host_calls() {
    let environment = TestEnvironment::new();
    environment.write("talkative.wat", talkative());
    environment.write("recursive.wat", recursive());
    environment.write("relay.wat", RELAY);
    assert_snapshot!(failed(&environment, "talkative.wat", &[]), @"
    code quota_exceeded
    exit 17
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the run exceeded its output limit of 4MiB
    hint: allow more with `--limit output=8320KiB`
    ");
    assert_snapshot!(failed(&environment, "recursive.wat", &[]), @"
    code quota_exceeded
    exit 17
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the run exceeded its stack limit of 512KiB
    ");
    let get = "{'op':'storage.get','handle':&,'key':'a'}";
    let twice = calls(&format!("{get}|{get}"));
    let arguments = ["--input", &twice, "--grant", "storage:a/", "--limit", "host_calls=1"];
    assert_snapshot!(failed(&environment, "relay.wat", &arguments), @"
    code quota_exceeded
    exit 17
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code compiled in [TIME]
    error: the run exceeded its host_calls limit of 1
    hint: allow more with `--limit host_calls=4`
    ");
}

#[test]
fn quota_exceeded_before_anything_is_allocated() {
    let environment = TestEnvironment::new();
    environment.write(
        "wide.wat",
        core("(i32.const 0)").replace("(memory (export \"memory\") 4)", "(memory (export \"memory\") 1025)"),
    );
    assert_snapshot!(failed(&environment, "wide.wat", &[]), @"
    code quota_exceeded
    exit 17
    --- stderr
    error: the run exceeded its memory limit of 64MiB
    hint: allow more with `--limit memory=131200KiB`
    ");
}

#[test]
fn timed_out() {
    let environment = TestEnvironment::new();
    environment.write("endless.wat", endless());
    assert_snapshot!(failed(&environment, "endless.wat", &["--limit", "fuel=1000000000000", "--limit", "timeout=50ms"]), @"
    code timed_out
    exit 18
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 1,000,000,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the run did not finish within [TIME]
    hint: allow more time with `--limit timeout=100ms`
    ");
}

#[test]
fn tool_failed() {
    let environment = TestEnvironment::new();
    environment.write("failing.wat", says("no\\0a\\1b[31m luck", 13, 7));
    assert_snapshot!(failed(&environment, "failing.wat", &[]), @r"
    code tool_failed
    exit 19
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the tool failed: no\u{a}\u{1b}[31m luck
      code: status_7
    ");
}

#[test]
fn trapped() {
    let environment = TestEnvironment::new();
    environment.write("trapping.wat", trapping());
    assert_snapshot!(failed(&environment, "trapping.wat", &[]), @"
    code trapped
    exit 20
    --- stderr
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 0 host calls · egress 0 B · code compiled in [TIME]
    error: the guest trapped: wasm trap: wasm `unreachable` instruction executed
      in: break_something
      in: function 4
    ");
}

#[test]
fn usage() {
    let environment = TestEnvironment::new();
    environment.write("echo.wat", echo());
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "storage:notes"]), @"
    code usage
    exit 2
    --- stderr
    error: invalid storage prefix `notes`: it does not end with `/`
    hint: write `storage:cache/`, `storage:cache/ bytes=1MiB keys=100` or `storage-read:cache/`
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "shell:rm"]), @"
    code usage
    exit 2
    --- stderr
    error: unknown kind of grant `shell`
    hint: a grant starts with `http:`, `secret:`, `storage:`, `storage-read:`, `channel:`, `fs-read:`, `fs-write:` or `address:`
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "http:https://*.com"]), @"
    code usage
    exit 2
    --- stderr
    error: invalid host `*.com`: a wildcard needs at least two labels after it
    hint: write `http:GET https://api.example.com/items/*`
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "fs-read:docs"]), @"
    code usage
    exit 2
    --- stderr
    error: grant `fs-read:docs` has no directory
    hint: write it as `fs-read:docs=DIRECTORY`
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--limit", "speed=1"]), @"
    code usage
    exit 2
    --- stderr
    error: unknown limit `speed`
    hint: write `NAME=VALUE` with one of fuel, memory, tables, instances, timeout, input, output, log, host_calls, egress, tape
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--limit", "timeout=soon"]), @"
    code usage
    exit 2
    --- stderr
    error: invalid value `soon` for limit `timeout`
    hint: write `timeout=500ms`, `timeout=30s` or `timeout=2m`
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--limit", "memory=8GiB"]), @"
    code usage
    exit 2
    --- stderr
    error: limit `memory=8GiB` is above the ceiling
    hint: the maximum is `memory=512MiB`
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--ca-file", "echo.wat"]), @"
    code usage
    exit 2
    --- stderr
    error: `--ca-file echo.wat`: it contains no PEM certificate
    ");
    assert_snapshot!(failed(&environment, "echo.wat", &["--storage-dir", "echo.wat"]), @"
    code usage
    exit 2
    --- stderr
    error: cannot use the storage directory `echo.wat`: it is not a directory
    ");
}

//! Every way a run can end badly, for people and for programs.

use crate::environment::{Ran, TestEnvironment};
use crate::guests::{RELAY, calls, core, described, echo, endless, growing, recursive, says, talkative, trapping};
use insta::assert_snapshot;

/// The human form; the JSON form must say the same, and have the report of the run.
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

/// The flag that a hint tells to add: what stands between its backticks.
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
    assert_snapshot!(failed(&environment, "words.wasm", &["--tool", "words.cuont"]), @"");
    assert_eq!(environment.run("words.wasm", &["--tool", "zebra", "--json"]).error()["details"]["known"][1], "words.split");
}

#[test]
fn invalid_output() {
    let environment = TestEnvironment::new();
    environment.write("not-json.wat", says("{not json", 9, 0));
    environment.write("not-utf8.wat", says("\\22\\ff\\22", 3, 0));
    environment.write("nothing.wat", core("(i32.const 0)"));
    assert_snapshot!(failed(&environment, "not-json.wat", &[]), @"");
    assert_snapshot!(failed(&environment, "not-utf8.wat", &[]), @"");
    assert_snapshot!(failed(&environment, "nothing.wat", &[]), @"");
}

#[test]
fn quota_exceeded_by_fuel_and_the_advice_helps() {
    let environment = TestEnvironment::new();
    environment.write("endless.wat", endless());
    environment.write("echo.wat", echo());
    assert_snapshot!(failed(&environment, "endless.wat", &[]), @"");
    let starved = environment.run("echo.wat", &["--limit", "fuel=2", "--json"]);
    let advice = advice(&starved);
    let fed = environment.run("echo.wat", &[&advice[0], &advice[1], "--json"]);
    assert_eq!(fed.json()["result"], serde_json::json!({}), "{advice:?}");
}

#[test]
fn quota_exceeded_by_memory_and_the_advice_helps() {
    let environment = TestEnvironment::new();
    environment.write("growing.wat", growing().replace("(i32.const 0)))", "(drop (call $output_write (i32.const 0) (i32.const 1))) (i32.const 0)))").replace("(func (export", "(data (i32.const 0) \"1\") (func (export"));
    assert_snapshot!(failed(&environment, "growing.wat", &[]), @"");
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
    assert_snapshot!(failed(&environment, "talkative.wat", &[]), @"");
    assert_snapshot!(failed(&environment, "recursive.wat", &[]), @"");
    let get = "{'op':'storage.get','handle':&,'key':'a'}";
    let twice = calls(&format!("{get}|{get}"));
    let arguments = ["--input", &twice, "--grant", "storage:a/", "--limit", "host_calls=1"];
    assert_snapshot!(failed(&environment, "relay.wat", &arguments), @"");
}

#[test]
fn quota_exceeded_before_anything_is_allocated() {
    let environment = TestEnvironment::new();
    environment.write("wide.wat", core("(i32.const 0)").replace("(memory (export \"memory\") 4)", "(memory (export \"memory\") 1025)"));
    assert_snapshot!(failed(&environment, "wide.wat", &[]), @"");
}

#[test]
fn timed_out() {
    let environment = TestEnvironment::new();
    environment.write("endless.wat", endless());
    assert_snapshot!(failed(&environment, "endless.wat", &["--limit", "fuel=1000000000000", "--limit", "timeout=50ms"]), @"");
}

#[test]
fn tool_failed() {
    let environment = TestEnvironment::new();
    environment.write("failing.wat", says("no\\0a\\1b[31m luck", 13, 7));
    assert_snapshot!(failed(&environment, "failing.wat", &[]), @"");
}

#[test]
fn trapped() {
    let environment = TestEnvironment::new();
    environment.write("trapping.wat", trapping());
    assert_snapshot!(failed(&environment, "trapping.wat", &[]), @"");
}

#[test]
fn usage() {
    let environment = TestEnvironment::new();
    environment.write("echo.wat", echo());
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "storage:notes"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "shell:rm"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "http:https://*.com"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--grant", "fs-read:docs"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--limit", "speed=1"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--limit", "timeout=soon"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--limit", "memory=8GiB"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--ca-file", "echo.wat"]), @"");
    assert_snapshot!(failed(&environment, "echo.wat", &["--storage-dir", "echo.wat"]), @"");
}

//! The stream on which each output is written.

use crate::environment::TestEnvironment;
use crate::guests::{RELAY, calls, echo};
use insta::assert_snapshot;
use std::process::Stdio;

fn environment() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("relay.wat", RELAY);
    environment.write("echo.wat", echo());
    environment
}

/// Returns a guest that logs, publishes and stores.
fn busy() -> String {
    calls(
        "{'op':'log.write','level':'info','message':'first\\nsecond'}|\
         {'op':'log.write','level':'error','message':'\\u001b[31mred'}|\
         {'op':'channels.publish','handle':!,'content_type':'text/plain','body_text':'hello'}|\
         {'op':'channels.publish','handle':!,'content_type':'image/png','body_base64':'/w=='}|\
         {'op':'storage.put','handle':&,'key':'a','value_text':'v'}",
    )
}

const DOORS: [&str; 4] = ["--grant", "channel:alerts", "--grant", "storage:notes/"];

#[test]
fn a_busy_run_for_people() {
    let environment = environment();
    let input = busy();
    let run = |more: &[&str]| {
        environment.run("relay.wat", &[&["--input", &input], &DOORS[..], more].concat()).shown()
    };
    assert_snapshot!(run(&[]), @r#"
    exit 0
    --- stdout
    {
      "ok": null
    }
    --- stderr
    [info] palyra_plugin_main: first\u{a}second
    [error] palyra_plugin_main: \u{1b}[31mred
    [channel alerts] text/plain: hello
    [channel alerts] image/png: 1 B of data
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 3 host calls · egress 0 B · code compiled in [TIME]
    "#);
    assert_snapshot!(run(&["--trace", "--verbose"]), @r#"
    exit 0
    --- stdout
    {
      "ok": null
    }
    --- stderr
    [info] palyra_plugin_main: first\u{a}second
    [error] palyra_plugin_main: \u{1b}[31mred
    [channel alerts] text/plain: hello
    [channel alerts] image/png: 1 B of data
    [call 1] channels.publish alerts: ok, [TIME]
    [call 2] channels.publish alerts: ok, [TIME]
    [call 3] storage.put notes/a: ok, [TIME]
    palyra_plugin_main finished in [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 3 host calls · egress 0 B · code from the cache in [TIME]
    [RUN] · core module of 1017 B · sha256 [SHA256]
    "#);
    assert_snapshot!(run(&["--quiet"]), @r#"
    exit 0
    --- stdout
    {
      "ok": null
    }
    "#);
}

#[test]
fn a_busy_run_for_programs() {
    let environment = environment();
    let input = busy();
    let ran = environment.run("relay.wat", &[&["--input", &input, "--json"], &DOORS[..]].concat());
    let json = ran.json();
    assert_eq!(json["schema"], "palyra.run/v1");
    assert_eq!(
        json["log"][0],
        serde_json::json!({ "level": "info", "source": "log", "message": "first\\u{a}second" })
    );
    assert_eq!(
        json["channels"],
        serde_json::json!([
            { "channel": "alerts", "content_type": "text/plain", "body_text": "hello" },
            { "channel": "alerts", "content_type": "image/png", "body_base64": "/w==" },
        ])
    );
    assert_eq!(json["host_calls"][2]["op"], "storage.put");
    assert_eq!(json["host_calls"][2]["subject"], "notes/a");
    assert_eq!(json["usage"]["host_calls"], 3);
    assert!(json["usage"]["elapsed_us"].as_u64().unwrap() > 0 && json["usage"]["fuel"].as_u64().unwrap() > 0);
    assert_eq!(json["limits"]["fuel_budget"], 10_000_000);
    assert_eq!(json["module"]["kind"], "core");
    assert_eq!(json["module"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!((&json["replay"], &json["warnings"]), (&serde_json::Value::Null, &serde_json::json!([])));
    let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_snapshot!(keys.join(" "), @"channels host_calls limits log module replay result run_id schema tape tool usage warnings");
}

#[test]
fn a_tools_json_is_passed_on_as_it_is() {
    let environment = environment();
    let odd = r#" {"b": 1E+30, "a": 0.10, "a": -0, "n": 123456789012345678901234567890, "z": "\u00e9é"} "#;
    environment.write("odd.json", odd);
    let passed = r#""result":{"b":1E+30,"a":0.10,"a":-0,"n":123456789012345678901234567890,"z":"\u00e9é"},"#;
    for form in ["json", "ndjson"] {
        let ran = environment.run("echo.wat", &["--input", "@odd.json", "--output", form]);
        assert!(ran.stdout.contains(passed), "{}", ran.stdout);
        assert_eq!(ran.stdout.matches('\n').count(), 1);
    }
    assert_snapshot!(environment.run("echo.wat", &["--input", "@odd.json", "-q"]).shown(), @r#"
    exit 0
    --- stdout
    {
      "b": 1E+30,
      "a": 0.10,
      "a": -0,
      "n": 123456789012345678901234567890,
      "z": "\u00e9é"
    }
    "#);
}

#[test]
fn a_result_cannot_move_the_cursor() {
    let environment = environment();
    environment.write("in.json", "\"\u{9b}2J\u{202e}x\"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@in.json", "-q"]).shown(), @r#"
    exit 0
    --- stdout
    "\u009b2J\u202ex"
    "#);
}

#[test]
fn a_failed_run_still_tells_what_it_did() {
    let environment = environment();
    let input = calls(
        "{'op':'log.write','level':'warn','message':'about to fail'}|{'op':'storage.put','handle':&,'key':'a','value_text':'v'}|\
         {'op':'storage.get','handle':77,'key':'a'}",
    );
    let flags = ["--input", &input, "--grant", "storage:notes/", "--trace"];
    assert_snapshot!(environment.run("relay.wat", &flags).shown(), @"
    exit 16
    --- stderr
    [warn] palyra_plugin_main: about to fail
    [call 1] storage.put notes/a: ok, [TIME]
    [call 2] storage.get a: denied, [TIME]
    palyra_plugin_main ended after [TIME] · fuel [FUEL] of 10,000,000 · memory 256 KiB of 64 MiB · 2 host calls · egress 0 B · code compiled in [TIME]
    error: storage `a` is not granted: the guest used a handle that it was never given
    hint: grant a storage prefix with `--grant storage:NAME/`
    ");
    let error = environment.run("relay.wat", &[&flags[..], &["--json"]].concat()).error();
    let report = &error["details"]["report"];
    assert_eq!(report["log"][0]["message"], "about to fail");
    assert_eq!(report["host_calls"][1]["outcome"], "denied");
    assert_eq!(report["tool"], "palyra_plugin_main");
    assert!(report["usage"]["fuel"].as_u64().unwrap() > 0);
}

#[test]
fn colour_only_where_it_is_wanted() {
    let environment = environment();
    let stderr = |arguments: &[&str], variables: &[(&str, &str)]| {
        let command = [&["run", "--module", "none.wasm"], arguments].concat();
        environment.palyra_with_variables(&command, variables).stderr
    };
    assert!(!stderr(&[], &[]).contains('\x1b'));
    assert!(stderr(&["--color", "always"], &[]).contains("\x1b["));
    assert!(stderr(&[], &[("PALYRA_COLOR", "always")]).contains("\x1b["));
    assert!(!stderr(&["--color", "never"], &[("PALYRA_COLOR", "always")]).contains('\x1b'));
    assert!(!stderr(&[], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]).contains('\x1b'));
    let broken = environment.palyra(&["rum", "--color=always"]);
    assert!(broken.stderr.contains("\x1b["), "{}", broken.stderr);
}

#[test]
fn variables_stand_for_flags_and_flags_win() {
    let environment = environment();
    let run = ["run", "--module", "echo.wat", "--input", "[1]"];
    let in_json = [("PALYRA_OUTPUT", "json")];
    let ran = environment.palyra_with_variables(&run, &in_json);
    assert_eq!(ran.json()["result"], serde_json::json!([1]));
    let in_human = [&run[..], &["--output", "human"]].concat();
    let quiet = environment.palyra_with_variables(&in_human, &[in_json[0], ("PALYRA_QUIET", "1")]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("[\n  1\n]\n", ""));
    let verbose = environment.palyra_with_variables(&in_human, &[in_json[0], ("PALYRA_QUIET", "0")]);
    assert!(verbose.stderr.contains("finished"), "{}", verbose.stderr);
    // Options of a single command have no variable.
    let input_only = [("PALYRA_RUN_INPUT", "[2]")];
    let ran = environment.palyra_with_variables(&["run", "--json", "--module", "echo.wat"], &input_only);
    assert_eq!(ran.json()["result"], serde_json::json!({}));
    // Permissions are only set by arguments, never by variables.
    let input = calls("{'op':'storage.get','handle':&,'key':'a'}");
    let widening = [("PALYRA_RUN_GRANT", "storage:a/"), ("PALYRA_GRANT", "storage:a/")];
    let denied =
        environment.palyra_with_variables(&["run", "--module", "relay.wat", "--input", &input], &widening);
    assert_eq!(denied.code, 16);
}

#[test]
fn a_reader_that_has_gone_is_no_error_and_a_full_disk_is() {
    let environment = environment();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status =
        environment.command(&["run", "--module", "echo.wat"]).stdout(writer).spawn().unwrap().wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = environment
        .command(&["run", "--module", "echo.wat", "--json"])
        .stdout(Stdio::from(full))
        .spawn()
        .unwrap();
    let ran = environment.ran(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.error()["code"].as_str()), (1, Some("io")));
}

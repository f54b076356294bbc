//! `--input` and `--config`.

use crate::environment::TestEnvironment;
use crate::guests::{RELAY, calls, echo};
use insta::assert_snapshot;

fn environment() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("echo.wat", echo());
    environment.write("relay.wat", RELAY);
    environment
}

#[test]
fn an_input_comes_from_the_line_a_file_or_standard_input() {
    let environment = environment();
    let result = |arguments: &[&str]| environment.run("echo.wat", &[arguments, &["--json"]].concat()).json()["result"].clone();
    environment.write("in.json", " {\"from\": \"file\"}\n");
    assert_eq!(result(&[]), serde_json::json!({}));
    assert_eq!(result(&["--input", "-5"]), serde_json::json!(-5));
    assert_eq!(result(&["--input", "@in.json"]), serde_json::json!({ "from": "file" }));
    let arguments = ["run", "--module", "echo.wat", "--input", "-", "--json"];
    let piped = environment.palyra_with_input(&arguments, b"[\"from\", \"stdin\"]");
    assert_eq!(piped.json()["result"], serde_json::json!(["from", "stdin"]));
}

#[test]
fn an_input_that_is_not_json() {
    let environment = environment();
    environment.write("in.json", "{\"list\": [1,\n  2 3]}");
    environment.write("latin1.json", b"\"\xe9\"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@in.json"]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@in.json", "--json"]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@latin1.json"]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "in.json"]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", ""]).shown(), @"");
    assert_snapshot!(environment.palyra_with_input(&["run", "--module", "echo.wat", "--input", "-"], b"").shown(), @"");
    let deep = environment.run("echo.wat", &["--input", &"[".repeat(100_000)]);
    assert_snapshot!(deep.shown(), @"");
}

#[test]
fn an_input_over_its_limit_is_not_read() {
    let environment = environment();
    let sparse = std::fs::File::create(environment.path("sparse.json")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    assert_snapshot!(environment.run("echo.wat", &["--input", "@sparse.json"]).shown(), @"");
    let piped = ["run", "--module", "echo.wat", "--input", "-", "--limit", "input=10"];
    let ran = environment.palyra_with_input(&piped, &[b' '; 100]);
    assert_snapshot!(ran.shown(), @"");
    let inline = environment.run("echo.wat", &["--input", "\"12345\"", "--limit", "input=6", "-q"]);
    assert_snapshot!(inline.shown(), @"");
}

#[test]
fn files_and_standard_input_that_cannot_be_used() {
    let environment = environment();
    environment.write("secret", "hunter2");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@none.json"]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@."]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@/dev/null"]).shown(), @"");
    assert_snapshot!(environment.run("echo.wat", &["--input", "-", "--secret", "a=-"]).shown(), @"");
}

#[test]
fn settings_reach_the_guest() {
    let environment = environment();
    let input = calls("{'op':'run.operator-config'}");
    let ran = environment.run("relay.wat", &["--input", &input, "--config", r#"{"colour":"blue"}"#, "--json"]);
    assert_eq!(ran.json()["result"], serde_json::json!({ "ok": { "colour": "blue" } }));
    assert_snapshot!(environment.run("relay.wat", &["--config", "{colour}"]).shown(), @"");
}

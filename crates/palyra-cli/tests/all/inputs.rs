//! The options `--input` and `--config`.

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
    let result = |arguments: &[&str]| {
        environment.run("echo.wat", &[arguments, &["--json"]].concat()).json()["result"].clone()
    };
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
    assert_snapshot!(environment.run("echo.wat", &["--input", "@in.json"]).shown(), @"
    exit 13
    --- stderr
    error: invalid input: it is not JSON: expected `,` or `]` at line 2 column 5
      at: /list
    hint: `--input` takes JSON text, `@FILE` or `-`
    ");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@in.json", "--json"]).shown(), @r#"
    exit 13
    --- stderr
    {"error":{"code":"invalid_input","message":"invalid input: it is not JSON: expected `,` or `]` at line 2 column 5","hints":["`--input` takes JSON text, `@FILE` or `-`"],"details":{"pointer":"/list","reason":"it is not JSON: expected `,` or `]` at line 2 column 5","subject":"input"}}}
    "#);
    assert_snapshot!(environment.run("echo.wat", &["--input", "@latin1.json"]).shown(), @"
    exit 13
    --- stderr
    error: invalid input: it is not UTF-8 at byte 1
    hint: `--input` takes JSON text, `@FILE` or `-`
    ");
    assert_snapshot!(environment.run("echo.wat", &["--input", "in.json"]).shown(), @"
    exit 13
    --- stderr
    error: invalid input: it is not JSON: expected value at line 1 column 1
    hint: to read the file, write `--input @in.json`
    ");
    assert_snapshot!(environment.run("echo.wat", &["--input", ""]).shown(), @"
    exit 13
    --- stderr
    error: invalid input: it is not JSON: EOF while parsing a value at line 1 column 0
    hint: `--input` takes JSON text, `@FILE` or `-`
    ");
    assert_snapshot!(environment.palyra_with_input(&["run", "--module", "echo.wat", "--input", "-"], b"").shown(), @"
    exit 13
    --- stderr
    error: invalid input: it is not JSON: EOF while parsing a value at line 1 column 0
    hint: `--input` takes JSON text, `@FILE` or `-`
    ");
    let deep = environment.run("echo.wat", &["--input", &"[".repeat(100_000)]);
    assert_snapshot!(deep.shown(), @"
    exit 13
    --- stderr
    error: invalid input: it is nested more than 128 levels deep
      at: /0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0…
    hint: `--input` takes JSON text, `@FILE` or `-`
    ");
}

#[test]
fn an_input_over_its_limit_is_not_read() {
    let environment = environment();
    let sparse = std::fs::File::create(environment.path("sparse.json")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    assert_snapshot!(environment.run("echo.wat", &["--input", "@sparse.json"]).shown(), @"
    exit 17
    --- stderr
    error: the run exceeded its input limit of 1MiB
    hint: no run can use more than `--limit input=64MiB`
    ");
    let piped = ["run", "--module", "echo.wat", "--input", "-", "--limit", "input=10"];
    let ran = environment.palyra_with_input(&piped, &[b' '; 100]);
    assert_snapshot!(ran.shown(), @"
    exit 17
    --- stderr
    error: the run exceeded its input limit of 10
    hint: allow more with `--limit input=22`
    ");
    let inline = environment.run("echo.wat", &["--input", "\"12345\"", "--limit", "input=6", "-q"]);
    assert_snapshot!(inline.shown(), @"
    exit 17
    --- stderr
    error: the run exceeded its input limit of 6
    hint: allow more with `--limit input=14`
    ");
}

#[test]
fn files_and_standard_input_that_cannot_be_used() {
    let environment = environment();
    let greedy = ["run", "--module", "echo.wat", "--input", "-", "--secret", "a=-"];
    assert_snapshot!(environment.run("echo.wat", &["--input", "@none.json"]).shown(), @"
    exit 2
    --- stderr
    error: file `none.json` does not exist
    ");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@."]).shown(), @"
    exit 2
    --- stderr
    error: `.` is a directory, not a file
    ");
    assert_snapshot!(environment.run("echo.wat", &["--input", "@/dev/null"]).shown(), @"
    exit 2
    --- stderr
    error: `/dev/null` is not a regular file
    hint: use `-` to read from a pipe
    ");
    assert_snapshot!(environment.palyra_with_input(&greedy, b"1").shown(), @"
    exit 2
    --- stderr
    warning: the secret `global/a` is too short to be redacted from output
    warning: the secret `global/a` is not granted, so the guest cannot use it; add `--grant 'secret:global/a hosts=HOST inject=bearer'`
    error: `--secret global/a=-` and `--input -` cannot both read standard input
    hint: use a file for one of them: `@FILE`
    ");
}

#[test]
fn settings_reach_the_guest() {
    let environment = environment();
    let input = calls("{'op':'run.operator-config'}");
    let ran =
        environment.run("relay.wat", &["--input", &input, "--config", r#"{"colour":"blue"}"#, "--json"]);
    assert_eq!(ran.json()["result"], serde_json::json!({ "ok": { "colour": "blue" } }));
    assert_snapshot!(environment.run("relay.wat", &["--config", "{colour}"]).shown(), @"
    exit 2
    --- stderr
    error: invalid `--config`: it is not JSON: key must be a string at line 1 column 2
    hint: `--config` takes JSON text, `@FILE` or `-`
    ");
}

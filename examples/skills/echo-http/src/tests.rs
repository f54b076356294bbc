//! The tools against a host in memory.

use crate::PLUGIN;
use palyra_plugins_sdk::http::{Response, SecretForm};
use palyra_plugins_sdk::serde_json::json;
use palyra_plugins_sdk::testing::{Harness, RunError};

const URL: &str = "https://api.example.com/items/1";
const ECHO: &str = "palyra.echo_http.echo";
const FETCH: &str = "palyra.echo_http.fetch";
const REMEMBER: &str = "palyra.echo_http.remember";

fn harness() -> Harness {
    let grants = [
        "http:GET https://api.example.com",
        "secret:global/token hosts=api.example.com inject=bearer",
        "storage:counters/",
    ];
    Harness::new(&PLUGIN).with_grants(grants).unwrap().with_secret("global/token", "t0ken")
}

#[test]
fn echo_returns_the_value() {
    let output = harness().with_run_id("run-1").call(ECHO, &json!({ "value": [1, { "a": null }] })).unwrap();
    assert_eq!(output, json!({ "value": [1, { "a": null }], "tool_id": ECHO, "run_id_length": 5 }));
}

#[test]
fn fetch_returns_what_was_asked_for() {
    let response =
        Response::new(200).with_header("ETag", "\"1\"").with_header("Server", "x").with_body("hello");
    let mut harness = harness().with_answer("GET", URL, response);
    let input = json!({ "url": URL, "secret": "global/token", "headers": ["etag", "missing"] });
    let output = harness.call(FETCH, &input).unwrap();
    assert_eq!(output, json!({ "status": 200, "headers": { "etag": "\"1\"" }, "body": "hello" }));
    assert_eq!(harness.requests()[0].secrets, [("global/token".to_owned(), SecretForm::Bearer)]);
    assert_eq!(harness.log()[0].message, "answered 200 with 5 bytes");
}

#[test]
fn fetch_elsewhere_is_denied() {
    for input in [json!({ "url": "https://evil.example/" }), json!({ "url": URL, "secret": "global/other" })]
    {
        let denied = harness().call(FETCH, &input).unwrap_err();
        assert!(matches!(denied, RunError::CapabilityDenied(_)), "{denied}");
    }
}

#[test]
fn remember_counts_across_calls() {
    let mut harness = harness();
    let mut count = |input| harness.call(REMEMBER, &input).unwrap();
    assert_eq!(count(json!({ "counter": "visits" })), json!({ "before": null, "after": 1 }));
    assert_eq!(count(json!({ "counter": "visits", "add": 41 })), json!({ "before": 1, "after": 42 }));
    assert_eq!(harness.stored("counters/visits"), Some(b"42".as_slice()));
}

#[test]
fn remember_refuses_what_does_not_fit() {
    let mut harness =
        harness().with_stored("counters/full", i64::MAX.to_string()).with_stored("counters/odd", "x");
    for (input, code) in [
        (json!({ "counter": "../x" }), "bad_counter"),
        (json!({ "counter": "" }), "bad_counter"),
        (json!({ "counter": "full" }), "overflow"),
        (json!({ "counter": "odd" }), "invalid_data"),
        (json!({ "count": "a" }), "invalid_input"),
    ] {
        match harness.call(REMEMBER, &input) {
            Err(RunError::ToolFailed(error)) => assert_eq!(error.code, code, "{input}"),
            other => panic!("{input}: {other:?}"),
        }
    }
}

#[test]
fn every_tool_describes_itself() {
    let described = harness().describe().unwrap();
    let ids: Vec<_> = described["tools"].as_array().unwrap().iter().map(|tool| tool["id"].clone()).collect();
    assert_eq!(ids, [ECHO, FETCH, REMEMBER]);
    assert_eq!(described["tools"][1]["input_schema"]["required"], json!(["url"]));
}

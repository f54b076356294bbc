//! The tools against a host in memory.

use crate::PLUGIN;
use palyra_plugins_sdk::serde_json::{Value, json};
use palyra_plugins_sdk::testing::{Harness, RunError};

fn harness(grant: &str) -> Harness {
    Harness::new(&PLUGIN).with_grants([grant]).unwrap()
}

#[track_caller]
fn call(harness: &mut Harness, tool: &str, input: Value) -> (String, Value) {
    let document = harness.call(&format!("palyra.todo.{tool}"), &input).unwrap();
    let part = |index: usize| &document["components"][index]["props"];
    (part(0)["value"].as_str().unwrap().to_owned(), part(1)["rows"].clone())
}

#[test]
fn tasks_are_added_done_and_removed() {
    let mut harness = harness("storage:todo/");
    assert_eq!(call(&mut harness, "list", json!({})), ("0 open, 0 done".into(), json!([])));
    call(&mut harness, "add", json!({ "task": " buy  milk\n" }));
    let (line, rows) = call(&mut harness, "add", json!({ "task": "file taxes", "due": "2026-05-31" }));
    assert_eq!(line, "Added task 2.");
    let milk = json!({ "number": 1, "task": "buy milk", "done": false });
    let taxes = json!({ "number": 2, "task": "file taxes", "done": false, "due": "2026-05-31" });
    assert_eq!(rows, json!([milk, taxes]));
    assert_eq!(call(&mut harness, "done", json!({ "number": 1 })).1, json!([taxes]));
    assert_eq!(call(&mut harness, "list", json!({ "show": "done" })).1[0]["number"], 1);
    assert_eq!(call(&mut harness, "remove", json!({ "number": 1 })).0, "Removed task 1: buy milk");
    assert_eq!(
        call(&mut harness, "list", json!({ "show": "all" })),
        ("1 open, 0 done".into(), json!([taxes]))
    );
    assert_eq!(
        call(&mut harness, "add", json!({ "task": "rest" })).0,
        "Added task 3.",
        "a number is used once"
    );
}

#[test]
fn list_needs_no_more_than_reading() {
    let mut reader = harness("storage-read:todo/");
    call(&mut reader, "list", json!({}));
    let denied = reader.call("palyra.todo.add", &json!({ "task": "x" })).unwrap_err();
    assert!(matches!(denied, RunError::CapabilityDenied(_)), "{denied}");
}

#[test]
fn what_does_not_fit_is_refused() {
    for (tool, input, code) in [
        ("add", json!({ "task": " " }), "empty_task"),
        ("add", json!({ "task": "x".repeat(501) }), "too_long"),
        ("add", json!({ "task": "a\u{202e}b" }), "hidden_characters"),
        ("add", json!({ "task": "a", "due": "2026-02-29" }), "bad_date"),
        ("done", json!({ "number": 7 }), "no_task"),
        ("remove", json!({ "number": 7 }), "no_task"),
    ] {
        match harness("storage:todo/").call(&format!("palyra.todo.{tool}"), &input).unwrap_err() {
            RunError::ToolFailed(error) => assert_eq!(error.code, code),
            other => panic!("{other}"),
        }
    }
}

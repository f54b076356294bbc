//! Guests in JavaScript and Python that fail explain themselves, and their usual globals work.

use crate::harness::*;
use crate::tape_replay::replayed;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use palyra_plugins_runtime::{Invocation, ReplayVerdict, RunReport};
use serde_json::json;

async fn run(guest: &str, tool: &str) -> RunReport {
    let runtime = runtime();
    let module = load(&runtime, &built_guest(guest)).await;
    let limits = RuntimeLimits { fuel_budget: 2_000_000_000, ..RuntimeLimits::default() };
    runtime.invoke(&module, Invocation { limits, ..call(tool, "{}") }).await
}

/// The error of the tool: its code, its message, and its stack a frame a line.
async fn failure(guest: &str, tool: &str) -> String {
    let report = run(guest, tool).await;
    match error(&report) {
        WasmPluginRunError::ToolFailed { code, message, details } => {
            let stack = details.as_ref().and_then(|details| details["stack"].as_array());
            let frames =
                stack.into_iter().flatten().map(|frame| format!("\n  at {}", frame.as_str().unwrap()));
            format!("{code}: {message}{}", frames.collect::<String>())
        }
        other => panic!("{other:?}"),
    }
}

fn log_lines(report: &RunReport) -> String {
    let lines = report.log.iter().map(|line| format!("{:?} {}", line.level, line.message));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn javascript_exception_arrives_with_message_and_stack() {
    assert_eq!(
        failure("failing-js", "throws").await,
        "exception: Error: boom\n  at explode.js:2 in explode\n  at guest.js:6 in throws\n  at guest.js:60 in invoke"
    );
}

#[tokio::test]
async fn javascript_rejected_promise_arrives_with_message_and_stack() {
    assert_eq!(
        failure("failing-js", "rejects").await,
        "exception: Error: later\n  at explode.js:2 in explode\n  at guest.js:9"
    );
    assert_eq!(output(&run("failing-js", "resolves").await), json!(3));
    assert_eq!(
        failure("failing-js", "unsettled").await,
        "unsettled_promise: the promise that `tools.invoke` returned never settles"
    );
}

#[tokio::test]
async fn javascript_wrong_return_or_export_is_named() {
    assert_eq!(
        failure("failing-js", "object").await,
        "invalid_output: `tools.invoke` returned object; expected JSON text, as JSON.stringify makes it"
    );
    assert_eq!(failure("failing-js", "text").await, "exception: the tool threw a text");
    assert_eq!(
        failure("misnamed-js", "any").await,
        "missing_export: the module exports `tool`; expected `export const tools = { invoke(…) { … } }`"
    );
}

#[tokio::test]
async fn javascript_console_writes_to_the_log() {
    assert_eq!(
        log_lines(&run("failing-js", "logs").await),
        "Debug debug\nInfo log { list: [1, \"two\"], none: null } Map {\"k\" => 1n}\nInfo info\nWarn warn\nError error TypeError: inner"
    );
}

#[tokio::test]
async fn javascript_clock_and_randomness_are_replayed_from_the_tape() {
    let runtime = runtime();
    let module = load(&runtime, &built_guest("failing-js")).await;
    for tool in ["clock", "random"] {
        let live = runtime.invoke(&module, call(tool, "{}")).await;
        let again = runtime.invoke(&module, replayed(&live)).await;
        assert_eq!((again.replay.clone(), output(&again)), (Some(ReplayVerdict::Identical), output(&live)));
    }
    let clock = output(&runtime.invoke(&module, call("clock", "{}")).await);
    assert!(clock["year"].as_u64().unwrap() >= 2026 && clock["forward"] == json!(true), "{clock}");
    assert!(clock["start"].as_f64().unwrap() < 1_000.0, "the call's own clock starts with it: {clock}");
    let random = async || output(&runtime.invoke(&module, call("random", "{}")).await);
    let (one, other) = (random().await, random().await);
    for field in ["uuid", "values", "number"] {
        assert_ne!(one[field], other[field]);
    }
}

#[tokio::test]
async fn javascript_text_address_and_clone_globals_work() {
    let result = output(&run("failing-js", "globals").await);
    assert_eq!(result["bytes"], json!([98, 114, 195, 184, 100, 32, 240, 159, 142, 130]));
    assert_eq!(result["text"], "brød 🎂");
    assert_eq!(result["broken"], "a\u{fffd}\u{fffd}");
    assert_eq!(result["url"], "https://example.com/a/b?x=1&q=%C3%B8+%2B#h");
    assert_eq!(result["host"], "example.com");
    assert_eq!(result["query"], json!([["a", "1"], ["b", "ø "]]));
    assert_eq!((&result["invalid"], &result["clone"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn python_exception_arrives_with_type_and_traceback() {
    assert_eq!(
        failure("failing-python", "raises").await,
        "exception: ZeroDivisionError: division by zero\n  at helper.py:2 in divide\n  at guest.py:14 in invoke"
    );
    assert_eq!(
        failure("failing-python", "exits").await,
        "exception: SystemExit: 3\n  at guest.py:18 in invoke"
    );
    assert_eq!(
        failure("failing-python", "object").await,
        "invalid_output: `Tools.invoke` returned dict; expected JSON text, as json.dumps makes it"
    );
}

#[tokio::test]
async fn python_print_writes_to_the_log() {
    assert_eq!(
        log_lines(&run("failing-python", "prints").await),
        "Info printed 1\nWarn warned\nInfo without an end"
    );
}

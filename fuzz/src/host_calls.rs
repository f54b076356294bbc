//! `host-call`: whatever the request, the answer is JSON with `ok` or `error`.
//!
//! The input is requests, one a line. Bytes that JSON never has stand for the handles of the call, which no
//! fuzzer could guess: 1 and 2 the HTTP rules, 3 and 4 the secrets, 5 and 6 the storage prefixes, 7 the channel.

use super::sandbox::Sandbox;
use serde_json::Value;
use std::sync::LazyLock;

const FUEL: u64 = 10_000_000;

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(include_str!("../guests/host_calls.wat")));

/// Lets a guest send the requests and looks at every answer.
pub fn check_host_calls(data: &[u8]) {
    let Some(report) = SANDBOX.run(data, FUEL) else { return };
    // A denial or a used-up quota outweighs the output, which is not shown then.
    let Ok(output) = report.result else { return };
    let text = output.json().expect("a tool's output is JSON").to_string();
    let Value::Array(answers) = serde_json::from_str(&text).expect("checked JSON is JSON") else {
        panic!("not a list: {text}");
    };
    assert_eq!(answers.len(), data.split(|byte| *byte == b'\n').count(), "{text}");
    answers.iter().for_each(check_answer);
}

fn check_answer(answer: &Value) {
    let fields = answer.as_object().unwrap_or_else(|| panic!("not an object: {answer}"));
    assert_eq!(fields.len(), 1, "{answer}");
    if let Some(error) = fields.get("error") {
        let code = error["code"].as_str().unwrap_or_default();
        // `denied` and `quota_exceeded` end the run, so they are never seen in a result.
        assert!(["invalid_argument", "timed_out", "unavailable"].contains(&code), "{answer}");
        assert!(error["message"].is_string(), "{answer}");
    } else {
        assert!(fields.contains_key("ok"), "{answer}");
    }
}

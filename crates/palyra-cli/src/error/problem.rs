//! What a person reads below the message of a problem: the facts that matter, by code.

use palyra_api::Problem;
use serde_json::Value;

type Note = (&'static str, String);

/// A label and a text each.
pub(super) fn notes(problem: &Problem) -> Vec<Note> {
    let details = &problem.details;
    match problem.code.as_str() {
        "state_damaged" => items(details, "differences").flat_map(difference).collect(),
        "trapped" => items(details, "backtrace")
            .filter_map(Value::as_str)
            .map(|frame| ("in", frame.to_owned()))
            .collect(),
        "tool_failed" => {
            let shown = details.get("details").filter(|shown| !shown.is_null());
            let shown = shown.map(|shown| ("details", shown.to_string()));
            text(details, "code").map(|code| ("code", code)).into_iter().chain(shown).collect()
        }
        "invalid_input" => {
            let pointer = text(details, "pointer").filter(|pointer| !pointer.is_empty());
            pointer.map(|pointer| ("at", super::clipped(&pointer))).into_iter().collect()
        }
        "audit_refused" => details.get("audit").map(findings).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn difference(difference: &Value) -> Vec<Note> {
    let field = |label: &'static str, name: &str| text(difference, name).map(|text| (label, text));
    [
        field("differs", "what"),
        field("expected", "expected"),
        field("found", "found"),
        field("remedy", "remedy"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The findings that refuse.
fn findings(report: &Value) -> Vec<Note> {
    let refuses = |finding: &&Value| finding.get("effect").and_then(Value::as_str) == Some("refuse");
    let shown = |finding: &Value| {
        let part = |name: &str| text(finding, name).unwrap_or_default();
        let place = format!("{} in {}: {}", part("id"), part("subject"), part("message"));
        [("finding", place), ("remedy", part("remedy"))]
    };
    items(report, "findings").filter(refuses).flat_map(shown).collect()
}

fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

//! Formats the details of a problem for people, depending on its code.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_common::redact::escape_untrusted;
use serde_json::Value;

/// Maximum number of frames of a guest's stack in the output.
const MAX_FRAMES: usize = 32;

type Note = (&'static str, String);

/// Returns the details as pairs of label and text.
pub(super) fn notes(problem: &Problem) -> Vec<Note> {
    let details = &problem.details;
    match problem.code {
        ErrorCode::StateDamaged => items(details, "differences").flat_map(difference).collect(),
        ErrorCode::Trapped => items(details, "backtrace")
            .filter_map(Value::as_str)
            .map(|frame| ("in", frame.to_owned()))
            .collect(),
        ErrorCode::ToolFailed => {
            let code = text(details, "code").map(|code| ("code", code));
            let shown = details.get("details").filter(|shown| !shown.is_null());
            code.into_iter().chain(shown.map(guest_details).into_iter().flatten()).collect()
        }
        ErrorCode::InvalidInput => {
            let pointer = text(details, "pointer").filter(|pointer| !pointer.is_empty());
            pointer.map(|pointer| ("at", super::clipped(&pointer))).into_iter().collect()
        }
        ErrorCode::AuditRefused => details.get("audit").map(findings).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Returns the frames of an exception's stack, one per note; other details as JSON.
fn guest_details(details: &Value) -> Vec<Note> {
    let fields = details.as_object().filter(|fields| fields.len() == 1);
    match fields.and_then(|fields| fields.get("stack")).and_then(Value::as_array) {
        Some(stack) => {
            let frames = stack.iter().filter_map(Value::as_str).take(MAX_FRAMES);
            frames.map(|frame| ("at", super::clipped(&escape_untrusted(frame)))).collect()
        }
        None => vec![("details", details.to_string())],
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

/// Returns the findings that reject the package.
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

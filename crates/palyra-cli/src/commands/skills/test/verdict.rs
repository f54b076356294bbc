//! Compares the result of a call with what a case expects.

use super::cases::Expected;
use palyra_common::redact::escape_untrusted;
use palyra_common::{CapabilityKind, JsonText, WasmPluginRunError};
use serde_json::Value;

/// Maximum length of a value in a message, in characters.
const MAX_SHOWN: usize = 2_000;

/// Reason why a case failed: the expected result, the actual one, and a hint.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) expected: String,
    pub(super) found: String,
    pub(super) hints: Vec<String>,
}

/// Compares a result with its case; `None` means that the case passed.
pub(super) fn compare(
    expected: &Expected<'_>,
    result: &Result<JsonText, WasmPluginRunError>,
) -> Option<Difference> {
    let passed = match (expected, result) {
        (Expected::Success, Ok(_)) => true,
        (Expected::Output(wanted), Ok(output)) => value(output).is_some_and(|output| same(wanted, &output)),
        (Expected::Contains(part), Ok(output)) => value(output).is_some_and(|output| contains(&output, part)),
        (Expected::Error(code), Err(error)) => has_code(error, code),
        _ => false,
    };
    (!passed).then(|| Difference {
        expected: match expected {
            Expected::Success => "an output".to_owned(),
            Expected::Output(wanted) => shown(&wanted.to_string()),
            Expected::Contains(part) => format!("an output with {}", shown(&part.to_string())),
            Expected::Error(code) => format!("the error `{}`", shown(code)),
        },
        found: match result {
            Ok(output) => shown(output.as_str()),
            Err(error) => describe(error),
        },
        hints: result.as_ref().err().map(hints).unwrap_or_default(),
    })
}

/// Returns whether the run failed with this code, or the guest with its own code.
fn has_code(error: &WasmPluginRunError, wanted: &str) -> bool {
    let own = match error {
        WasmPluginRunError::ToolFailed { code, .. } => Some(code.as_str()),
        _ => None,
    };
    error.kind().wire_name() == wanted || own == Some(wanted)
}

fn describe(error: &WasmPluginRunError) -> String {
    let code = error.kind().wire_name();
    let message = escape_untrusted(&error.to_string());
    match error {
        WasmPluginRunError::ToolFailed { code: own, details, .. } => {
            let stack = details.as_ref().and_then(|details| details.get("stack")).and_then(Value::as_array);
            let frames = stack.into_iter().flatten().filter_map(Value::as_str).take(8);
            let frames: String = frames.map(|frame| format!("; at {}", escape_untrusted(frame))).collect();
            format!("the error `{code}` (`{}`): {message}{frames}", escape_untrusted(own))
        }
        WasmPluginRunError::InvalidInput { pointer: Some(pointer), .. }
        | WasmPluginRunError::InvalidOutput { pointer, .. } => {
            format!("the error `{code}`: {message} at `{}`", escape_untrusted(pointer))
        }
        _ => format!("the error `{code}`: {message}"),
    }
}

/// Returns changes for the author; hints about flags of a run do not apply to test cases.
fn hints(error: &WasmPluginRunError) -> Vec<String> {
    match error {
        WasmPluginRunError::CapabilityDenied(denial) => {
            let line = denial.manifest.as_deref().unwrap_or(example_request(denial.kind));
            vec![format!("in skill.toml: {line}")]
        }
        WasmPluginRunError::QuotaExceeded { .. } | WasmPluginRunError::TimedOut { .. } => {
            vec!["raise the limit below `[capabilities.quotas]` in skill.toml".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// Returns an example for a guest without a handle: the sandbox does not know which name it looked for.
fn example_request(kind: CapabilityKind) -> &'static str {
    match kind {
        CapabilityKind::Storage => "`storage_prefixes = [\"NAME/\"]` below `[capabilities]`",
        CapabilityKind::Channel => "`channels = [\"NAME\"]` below `[capabilities]`",
        CapabilityKind::Secret => "a table `[[capabilities.secrets]]` with `scope`, `key_names` and `hosts`",
        CapabilityKind::Http => "`http_egress_allowlist = [\"HOST\"]` below `[capabilities]`",
        CapabilityKind::Filesystem => "`read_roots = [\"NAME\"]` below `[capabilities.filesystem]`",
    }
}

fn value(text: &JsonText) -> Option<Value> {
    serde_json::from_str(text.as_str()).ok()
}

/// Compares numbers by value: `1` equals `1.0`.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        // Two integers are never compared as floats, because large ones would be equal.
        (Value::Number(a), Value::Number(b)) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(one, other)| same(one, other))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, one)| b.get(name).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

/// Returns whether `whole` contains `part`: objects may have more fields at every depth, everything else must be equal.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| contains(whole, part)))
        }
        _ => same(whole, part),
    }
}

fn shown(text: &str) -> String {
    let text = escape_untrusted(text);
    match text.char_indices().nth(MAX_SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn passes(expected: &Expected<'_>, output: &Value) -> bool {
        compare(expected, &Ok(JsonText::from(output))).is_none()
    }

    #[test]
    fn outputs_are_compared_by_value() {
        let output = json!({"a": 1, "b": [1.5, {"c": null}]});
        assert!(passes(&Expected::Output(&json!({"b": [1.5, {"c": null}], "a": 1.0})), &output));
        assert!(!passes(&Expected::Output(&json!({"a": 1})), &output));
        assert!(!passes(
            &Expected::Output(&json!(9_007_199_254_740_993_u64)),
            &json!(9_007_199_254_740_992_u64)
        ));
        assert!(passes(&Expected::Contains(&json!({"a": 1})), &output));
        assert!(!passes(&Expected::Contains(&json!({"b": []})), &output));
        assert!(passes(&Expected::Success, &output));
        assert!(!passes(&Expected::Error("tool_failed"), &output));
    }

    #[test]
    fn errors_match_by_either_code() {
        let failed = Err(WasmPluginRunError::ToolFailed {
            code: "no_note".into(),
            message: "no such note".into(),
            details: Some(json!({"stack": ["guest.js:3 in add"]})),
        });
        for code in ["no_note", "tool_failed"] {
            assert_eq!(compare(&Expected::Error(code), &failed), None);
        }
        let difference = compare(&Expected::Success, &failed).unwrap();
        assert_eq!(
            difference.found,
            "the error `tool_failed` (`no_note`): the tool failed: no such note; at guest.js:3 in add"
        );
    }
}

//! From what was written or submitted to arguments that match a tool's schema.

use palyra_common::{JsonText, canonical_text};
use palyra_skills::manifest::ToolSchema;
use serde_json::{Map, Value};

use crate::proposal_form::{self, Shape};
use crate::tool::ToolCard;

/// Longest arguments of one call that a model or a person may write.
const MAX_ARGUMENT_BYTES: usize = 256 << 10;
/// Most steps of a check here; the call pipeline checks everything again, under its own limits.
const MAX_CHECK_STEPS: u64 = 1 << 22;

/// Why arguments are not those of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentsError {
    /// Too long.
    #[error("the arguments have {bytes} bytes, more than {MAX_ARGUMENT_BYTES}")]
    TooLong {
        /// Their length.
        bytes: usize,
    },
    /// Not a JSON object.
    #[error("the arguments are not a JSON object: {reason}")]
    NotAnObject {
        /// What the parser says.
        reason: String,
    },
    /// They do not match the schema.
    #[error("the arguments do not match the schema of the tool at `{pointer}`: {reason}")]
    Mismatch {
        /// JSON pointer into the arguments.
        pointer: String,
        /// Which rule is broken.
        reason: String,
    },
}

/// The canonical arguments, checked against the schema of the tool.
pub(crate) fn check(tool: &ToolCard, written: &str) -> Result<String, ArgumentsError> {
    if written.len() > MAX_ARGUMENT_BYTES {
        return Err(ArgumentsError::TooLong { bytes: written.len() });
    }
    // Several providers send nothing where a tool takes nothing.
    let written = if written.trim().is_empty() { "{}" } else { written };
    let not_an_object = |reason: String| ArgumentsError::NotAnObject { reason };
    let text = JsonText::from_text(written.to_owned()).map_err(|error| not_an_object(error.to_string()))?;
    if !written.trim_start().starts_with('{') {
        return Err(not_an_object("it begins with something else than `{`".into()));
    }
    let mismatch = |pointer: String, reason: String| ArgumentsError::Mismatch { pointer, reason };
    let schema = ToolSchema::compile_input(&tool.input_schema);
    let schema = schema.map_err(|problem| mismatch("/".into(), problem.to_string()))?;
    if schema.steps(&text) <= MAX_CHECK_STEPS {
        schema.check_text(&text).map_err(|error| mismatch(error.pointer, error.reason))?;
    }
    Ok(canonical_text(&text))
}

/// The arguments of a tool from the values of its proposal form.
pub fn form_arguments(tool: &ToolCard, values: &Map<String, Value>) -> Result<String, ArgumentsError> {
    let schema = &tool.input_schema;
    if proposal_form::is_whole(schema) {
        let text = values.get(proposal_form::WHOLE).and_then(Value::as_str).unwrap_or("{}");
        return check(tool, text);
    }
    let mut arguments = Map::new();
    for (name, value) in values {
        let value = match (proposal_form::shape(schema, name), value) {
            (Shape::Json, Value::String(text)) => {
                serde_json::from_str(text).map_err(|error| ArgumentsError::Mismatch {
                    pointer: format!("/{name}"),
                    reason: format!("it is not JSON: {error}"),
                })?
            }
            (_, value) => value.clone(),
        };
        arguments.insert(name.clone(), value);
    }
    check(tool, &Value::Object(arguments).to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::proposal_form::tests::tool;
    use serde_json::json;

    #[test]
    fn arguments_are_checked_and_canonical() {
        let tool = tool(json!({ "type": "object", "required": ["n"], "properties": {
            "n": { "type": "integer" }, "deep": { "type": "object" } } }));
        assert_eq!(check(&tool, r#"{ "n": 1 }"#).unwrap(), r#"{"n":1}"#);
        for bad in ["", "[]", "{", r#"{"n":"1"}"#, r#"{"n":1} x"#, "null"] {
            assert!(check(&tool, bad).is_err(), "{bad}");
        }
        let long = format!(r#"{{"n":1,"x":"{}"}}"#, "x".repeat(MAX_ARGUMENT_BYTES));
        assert!(matches!(check(&tool, &long), Err(ArgumentsError::TooLong { .. })));
        let values = json!({ "n": 2, "deep": "{\"a\":[1]}" });
        assert_eq!(
            form_arguments(&tool, values.as_object().unwrap()).unwrap(),
            r#"{"deep":{"a":[1]},"n":2}"#
        );
        let values = json!({ "n": 2, "deep": "{" });
        assert!(
            form_arguments(&tool, values.as_object().unwrap()).unwrap_err().to_string().contains("`/deep`")
        );
    }
}

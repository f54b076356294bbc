//! Checks arguments written by a model or submitted by a person against a tool's schema.

use palyra_common::{JsonText, canonical_text};
use palyra_skills::manifest::ToolSchema;
use serde_json::{Map, Value};

use crate::formats::{WrongFormat, supplier, wrong_format};
use crate::proposal_form::{self, Shape};
use crate::tool::ToolCard;

/// Maximum arguments of one call, in bytes.
const MAX_ARGUMENT_BYTES: usize = 256 << 10;
/// Maximum steps of a check here; the call pipeline checks everything again, under its own limits.
const MAX_CHECK_STEPS: u64 = 1 << 22;

/// Why arguments were rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ArgumentsError {
    /// They are longer than 256 KiB.
    #[error("the arguments have {bytes} bytes, more than {MAX_ARGUMENT_BYTES}")]
    TooLong { bytes: usize },
    /// They are not a JSON object.
    #[error("the arguments are not a JSON object: {reason}")]
    NotAnObject { reason: String },
    /// They do not match the schema.
    #[error("the arguments do not match the schema of the tool at `{pointer}`: {reason}")]
    Mismatch {
        /// JSON pointer into the arguments.
        pointer: String,
        reason: String,
    },
    /// A text does not have the format its schema names.
    #[error("`{pointer}` is not {expected}{}", supplied_by(.supplier.as_deref()))]
    Format {
        /// JSON pointer into the arguments.
        pointer: String,
        /// Description of the format.
        expected: &'static str,
        /// A tool that returns such values, by its name for models.
        supplier: Option<String>,
    },
}

fn supplied_by(tool: Option<&str>) -> String {
    tool.map(|tool| format!("; call `{tool}` to get one")).unwrap_or_default()
}

/// Returns the canonical arguments after checking them against the tool's schema and formats.
pub(crate) fn check(tool: &ToolCard, written: &str, tools: &[ToolCard]) -> Result<String, ArgumentsError> {
    if written.len() > MAX_ARGUMENT_BYTES {
        return Err(ArgumentsError::TooLong { bytes: written.len() });
    }
    // Several providers send an empty text for a tool without arguments.
    let written = if written.trim().is_empty() { "{}" } else { written };
    let not_an_object = |reason: String| ArgumentsError::NotAnObject { reason };
    let text = JsonText::from_text(written.to_owned()).map_err(|error| not_an_object(error.to_string()))?;
    if !written.trim_start().starts_with('{') {
        return Err(not_an_object("it does not start with `{`".into()));
    }
    let mismatch = |pointer: String, reason: String| ArgumentsError::Mismatch { pointer, reason };
    let schema = ToolSchema::compile_input(&tool.input_schema);
    let schema = schema.map_err(|problem| mismatch("/".into(), problem.to_string()))?;
    if schema.steps(&text) <= MAX_CHECK_STEPS {
        schema.check_text(&text).map_err(|error| mismatch(error.pointer, error.reason))?;
    }
    let value: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
    if let Some(WrongFormat { pointer, format }) = wrong_format(&tool.input_schema, &value) {
        let supplier = supplier(tools, tool, format).map(str::to_owned);
        return Err(ArgumentsError::Format { pointer, expected: format.expected(), supplier });
    }
    Ok(canonical_text(&text))
}

/// Converts the submitted values of a proposal form to the arguments of its tool.
pub fn form_arguments(
    tool: &ToolCard,
    values: &Map<String, Value>,
    tools: &[ToolCard],
) -> Result<String, ArgumentsError> {
    let schema = &tool.input_schema;
    if proposal_form::is_whole(schema) {
        let text = values.get(proposal_form::WHOLE).and_then(Value::as_str).unwrap_or("{}");
        return check(tool, text, tools);
    }
    let mut arguments = Map::new();
    for (name, value) in values {
        let value = match (proposal_form::shape(schema, name), value) {
            (Shape::Json, Value::String(text)) => {
                serde_json::from_str(text).map_err(|error| ArgumentsError::Mismatch {
                    pointer: format!("/{name}"),
                    reason: format!("invalid JSON: {error}"),
                })?
            }
            (_, value) => value.clone(),
        };
        arguments.insert(name.clone(), value);
    }
    check(tool, &Value::Object(arguments).to_string(), tools)
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
        assert_eq!(check(&tool, r#"{ "n": 1 }"#, &[]).unwrap(), r#"{"n":1}"#);
        for bad in ["", "[]", "{", r#"{"n":"1"}"#, r#"{"n":1} x"#, "null"] {
            assert!(check(&tool, bad, &[]).is_err(), "{bad}");
        }
        let long = format!(r#"{{"n":1,"x":"{}"}}"#, "x".repeat(MAX_ARGUMENT_BYTES));
        assert!(matches!(check(&tool, &long, &[]), Err(ArgumentsError::TooLong { .. })));
        let values = json!({ "n": 2, "deep": "{\"a\":[1]}" });
        assert_eq!(
            form_arguments(&tool, values.as_object().unwrap(), &[]).unwrap(),
            r#"{"deep":{"a":[1]},"n":2}"#
        );
        let values = json!({ "n": 2, "deep": "{" });
        assert!(
            form_arguments(&tool, values.as_object().unwrap(), &[])
                .unwrap_err()
                .to_string()
                .contains("`/deep`")
        );
    }
}

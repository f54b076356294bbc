//! Checks the formats that a schema names for texts before a call, because a model may invent values it does not know.
//!
//! The call pipeline does not check `format`.

use palyra_a2ui::{is_date, is_datetime, is_email};
use serde_json::Value;

use crate::tool::ToolCard;

/// Maximum nesting of values that are checked.
const MAX_DEPTH: usize = 8;

/// A format that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Email,
    Url,
    Date,
    DateTime,
}

/// A text that does not have the format of its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrongFormat {
    /// JSON pointer into the arguments.
    pub(crate) pointer: String,
    pub(crate) format: Format,
}

impl Format {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "email" => Self::Email,
            "uri" | "url" => Self::Url,
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            _ => return None,
        })
    }

    /// Returns a description of the format for error messages.
    pub(crate) const fn expected(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address",
            Self::Url => "a URL",
            Self::Date => "a date like `2026-01-31`",
            Self::DateTime => "a date-time like `2026-01-31T08:00:00Z`",
        }
    }

    fn fits(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Url => is_url(text),
            Self::Date => is_date(text),
            Self::DateTime => is_datetime(text),
        }
    }
}

/// Returns the first text in the arguments that does not have the format of its schema.
pub(crate) fn wrong_format(schema: &Value, arguments: &Value) -> Option<WrongFormat> {
    find_wrong(schema, arguments, &mut String::new(), MAX_DEPTH)
}

/// Returns another tool whose results contain texts of a format, by its name for models.
pub(crate) fn supplier<'t>(tools: &'t [ToolCard], tool: &ToolCard, format: Format) -> Option<&'t str> {
    let other =
        |card: &&ToolCard| card.tool_id != tool.tool_id && gives(&card.output_schema, format, MAX_DEPTH);
    tools.iter().find(other).map(|card| card.model_name.as_str())
}

fn find_wrong(schema: &Value, value: &Value, pointer: &mut String, depth: usize) -> Option<WrongFormat> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::String(text) => {
            let format = schema.get("format").and_then(Value::as_str).and_then(Format::named)?;
            (!format.fits(text)).then(|| WrongFormat { pointer: pointer.clone(), format })
        }
        Value::Object(members) => {
            let properties = schema.get("properties")?;
            members.iter().find_map(|(name, value)| {
                let part = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                under(pointer, &part, |pointer| find_wrong(properties.get(name)?, value, pointer, depth))
            })
        }
        Value::Array(items) => {
            let schema = schema.get("items")?;
            items.iter().enumerate().find_map(|(index, item)| {
                under(pointer, &format!("/{index}"), |pointer| find_wrong(schema, item, pointer, depth))
            })
        }
        _ => None,
    }
}

fn under<T>(pointer: &mut String, part: &str, find: impl FnOnce(&mut String) -> T) -> T {
    let before = pointer.len();
    pointer.push_str(part);
    let found = find(pointer);
    pointer.truncate(before);
    found
}

/// Returns whether values of a schema can contain a text of a format.
fn gives(schema: &Value, format: Format, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let named = schema.get("format").and_then(Value::as_str).and_then(Format::named);
    let members = schema.get("properties").and_then(Value::as_object);
    named == Some(format)
        || members.is_some_and(|members| members.values().any(|member| gives(member, format, depth)))
        || schema.get("items").is_some_and(|items| gives(items, format, depth))
}

/// Accepts a scheme followed by anything; `http` and `https` require a host.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let scheme_ok = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let begins = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let plain = begins && scheme.bytes().all(scheme_ok) && !rest.is_empty();
    let visible = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    let web = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https");
    let host = rest.strip_prefix("//").unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    plain && visible && (!web || host.bytes().any(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::proposal_form::tests::tool;
    use serde_json::json;

    #[test]
    fn texts_have_the_format_of_their_schema() {
        let schema = json!({ "type": "object", "properties": {
            "to": { "type": "array", "items": { "type": "string", "format": "email" } },
            "page": { "type": "string", "format": "uri" },
            "day": { "type": "string", "format": "date" },
            "at": { "type": "object", "properties": { "time": { "type": "string", "format": "date-time" } } },
            "code": { "type": "string", "format": "hex" },
        } });
        let good = json!({ "to": ["a@b.example"], "page": "https://a.example/x?y", "day": "2026-02-28",
            "at": { "time": "2026-02-28T08:00:00Z" }, "code": "zz", "other": 1 });
        assert_eq!(wrong_format(&schema, &good), None);
        let wrong = |arguments: Value| wrong_format(&schema, &arguments).unwrap().pointer;
        assert_eq!(wrong(json!({ "to": ["a@b.example", "bob"] })), "/to/1");
        assert_eq!(wrong(json!({ "page": "http://" })), "/page");
        assert_eq!(wrong(json!({ "page": "the page" })), "/page");
        assert_eq!(wrong(json!({ "day": "2026-02-30" })), "/day");
        assert_eq!(wrong(json!({ "at": { "time": "noon" } })), "/at/time");
    }

    #[test]
    fn supplier_is_another_tool_that_returns_the_format() {
        let asks = tool(json!({ "type": "object" }));
        let mut gives = tool(json!({ "type": "object" }));
        (gives.tool_id, gives.model_name) = ("acme.contacts.find".into(), "acme__contacts__find".into());
        gives.output_schema = json!({ "type": "object", "properties": {
            "found": { "type": "array", "items": { "properties": { "mail": { "format": "email" } } } } } });
        let tools = [asks.clone(), gives];
        assert_eq!(supplier(&tools, &asks, Format::Email), Some("acme__contacts__find"));
        assert_eq!(supplier(&tools, &asks, Format::Date), None);
    }
}

//! Input from words of the command line: `key=value`, typed by the schema of the tool, or one JSON value.

use crate::error::CliError;
use serde_json::{Map, Value};

/// Maximum depth of references in a schema.
const MAX_REFERENCES: usize = 8;

/// The words after the tool on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Words {
    None,
    /// A JSON value in its original text.
    Json(String),
    /// Names and values, in order.
    Pairs(Vec<(String, String)>),
}

impl Words {
    /// Parses the words; an error contains the invalid word.
    pub(super) fn read(words: &[String]) -> Result<Self, CliError> {
        match words {
            [] => Ok(Self::None),
            [json] if json.trim_start().starts_with(['{', '[']) => Ok(Self::Json(json.clone())),
            _ => words.iter().map(|word| pair(word)).collect::<Result<_, _>>().map(Self::Pairs),
        }
    }

    /// Converts to the input of a tool without a schema.
    pub(super) fn untyped(self) -> Result<Option<String>, CliError> {
        match self {
            Self::None => Ok(None),
            Self::Json(json) => Ok(Some(json)),
            Self::Pairs(pairs) => object(&pairs, None).map(|object| Some(object.to_string())),
        }
    }
}

/// Builds an object from the pairs; `schema` determines the type of each value. Without a schema, a value that is valid
/// JSON is taken as JSON, and any other as text.
pub(super) fn object(pairs: &[(String, String)], schema: Option<&Value>) -> Result<Value, CliError> {
    let mut object = Map::new();
    for (name, text) in pairs {
        let types = schema.map(|schema| types(schema, property(schema, name))).unwrap_or_default();
        let list = types.iter().any(|kind| kind == "array") && !text.trim_start().starts_with('[');
        if list {
            let items = schema.and_then(|schema| property(schema, name)?.get("items"));
            let item =
                value(name, text, &schema.map(|schema| self::types(schema, items)).unwrap_or_default())?;
            match object.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(values) => values.push(item),
                _ => return Err(twice(name)),
            }
        } else if object.insert(name.clone(), value(name, text, &types)?).is_some() {
            return Err(twice(name));
        }
    }
    Ok(Value::Object(object))
}

fn pair(word: &str) -> Result<(String, String), CliError> {
    match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(CliError::usage_with_hint(
            format!("`{word}` is neither KEY=VALUE nor a JSON object"),
            "write the input like `text='buy milk'` or `'{\"text\": \"buy milk\"}'`",
        )),
    }
}

fn value(name: &str, text: &str, types: &[String]) -> Result<Value, CliError> {
    let json = serde_json::from_str::<Value>(text).ok();
    let is = |kind: &str| types.iter().any(|known| known == kind);
    let fits = |value: &Value| match value {
        Value::Null => is("null"),
        Value::Bool(_) => is("boolean"),
        Value::Number(number) => is("number") || (is("integer") && !number.is_f64()),
        Value::String(_) => false,
        Value::Array(_) => is("array"),
        Value::Object(_) => is("object"),
    };
    match json {
        // Text that looks like a number stays text if the schema requires a string.
        Some(value) if types.is_empty() || fits(&value) => Ok(value),
        _ if types.is_empty() || is("string") => Ok(Value::String(text.to_owned())),
        _ => Err(CliError::usage(format!("`{name}` expects {}, found `{text}`", types.join(" or ")))),
    }
}

fn twice(name: &str) -> CliError {
    CliError::usage(format!("`{name}` is given twice, and its value is not a list"))
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    resolved(schema, schema.get("properties")?.get(name)?)
}

/// Returns the types that a schema permits; empty if it does not restrict them.
fn types(root: &Value, schema: Option<&Value>) -> Vec<String> {
    let Some(schema) = schema.and_then(|schema| resolved(root, schema)) else { return Vec::new() };
    let named = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    let choices = choices.filter_map(|choice| resolved(root, choice)?.get("type")?.as_str());
    named.into_iter().chain(choices.map(str::to_owned)).collect()
}

/// Follows references into the same document.
fn resolved<'a>(root: &'a Value, mut schema: &'a Value) -> Option<&'a Value> {
    for _ in 0..MAX_REFERENCES {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
            None => return Some(schema),
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(words: &[&str], schema: Option<&Value>) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match Words::read(&words).map_err(|error| error.to_string())? {
            Words::Pairs(pairs) => object(&pairs, schema).map_err(|error| error.to_string()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_have_the_types_of_the_schema() {
        let schema = json!({
            "properties": {
                "step": { "type": "integer" },
                "text": { "type": "string" },
                "on": { "type": ["boolean", "null"] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "size": { "$ref": "#/$defs/size" },
                "deep": { "type": "object" },
            },
            "$defs": { "size": { "anyOf": [{ "type": "number" }, { "type": "null" }] } },
        });
        let words = ["step=5", "text=12", "on=true", "tags=1", "tags=b", "size=1.5", "deep={\"a\":1}"];
        assert_eq!(
            read(&words, Some(&schema)),
            Ok(
                json!({ "step": 5, "text": "12", "on": true, "tags": ["1", "b"], "size": 1.5, "deep": { "a": 1 } })
            )
        );
        assert_eq!(
            read(&["tags=[\"x\"]", "on=null"], Some(&schema)),
            Ok(json!({ "tags": ["x"], "on": null }))
        );
        assert_eq!(read(&["step=five"], Some(&schema)), Err("`step` expects integer, found `five`".into()));
        assert_eq!(read(&["step=1.5"], Some(&schema)), Err("`step` expects integer, found `1.5`".into()));
        assert!(read(&["step=1", "step=2"], Some(&schema)).unwrap_err().contains("given twice"));
    }

    #[test]
    fn values_without_a_schema_are_json_or_text() {
        let read = read(&["a=1", "b=x y", "c=", "d=k=v"], None);
        assert_eq!(read, Ok(json!({ "a": 1, "b": "x y", "c": "", "d": "k=v" })));
    }

    #[test]
    fn one_json_value_is_taken_as_written() {
        let read = |word: &str| Words::read(&[word.to_owned()]);
        assert_eq!(read("{\"a\": 1}").unwrap(), Words::Json("{\"a\": 1}".into()));
        assert!(read("text").unwrap_err().to_string().contains("neither KEY=VALUE nor a JSON object"));
        assert!(read("=x").is_err());
    }
}

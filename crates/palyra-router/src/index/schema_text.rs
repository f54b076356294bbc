//! Collects the words of an input schema and of example inputs.

use serde_json::Value;

/// Maximum depth of a schema that is read.
const MAX_DEPTH: usize = 6;
/// Maximum number of bytes collected of each kind.
const MAX_BYTES: usize = 16_384;

/// The words of a schema, by their role.
#[derive(Default)]
pub(super) struct SchemaText {
    /// The names of arguments.
    pub(super) names: String,
    /// The descriptions of arguments.
    pub(super) descriptions: String,
    /// The permitted values of arguments, and the values of examples.
    pub(super) values: String,
}

pub(super) fn read(schema: &Value, examples: &[Value]) -> SchemaText {
    let mut words = SchemaText::default();
    arguments(schema, &mut words, 0);
    for example in examples {
        texts(example, &mut words.values, 0);
    }
    words
}

fn arguments(schema: &Value, words: &mut SchemaText, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            push(&mut words.names, name);
            if let Some(description) = property.get("description").and_then(Value::as_str) {
                push(&mut words.descriptions, description);
            }
            arguments(property, words, depth + 1);
        }
    }
    for choice in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
        texts(choice, &mut words.values, 0);
    }
    if let Some(items) = schema.get("items") {
        arguments(items, words, depth + 1);
    }
}

fn texts(value: &Value, into: &mut String, depth: usize) {
    match value {
        Value::String(text) => push(into, text),
        Value::Array(values) if depth < MAX_DEPTH => {
            values.iter().for_each(|value| texts(value, into, depth + 1));
        }
        Value::Object(members) if depth < MAX_DEPTH => {
            members.values().for_each(|value| texts(value, into, depth + 1));
        }
        _ => {}
    }
}

fn push(into: &mut String, text: &str) {
    if into.len() + text.len() < MAX_BYTES {
        into.push_str(text);
        into.push(' ');
    }
}

//! TypeScript types of a JSON Schema, so that the console compiles against the schema the daemon checks.

use serde_json::{Map, Value};

/// One exported type for each definition.
pub(super) fn module(schema: &Value) -> String {
    let mut out = String::from(
        "// Generated from crates/palyra-a2ui by `PALYRA_WRITE_GENERATED=1 cargo test -p palyra-a2ui`; do not edit.\n",
    );
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        out.push_str(&comment(definition, ""));
        out.push_str(&format!("export type {name} = {};\n", type_of(definition, "")));
    }
    out
}

fn comment(schema: &Value, indent: &str) -> String {
    match schema["description"].as_str() {
        Some(text) => format!("\n{indent}/** {} */\n{indent}", text.replace('\n', " ")),
        None => format!("\n{indent}"),
    }
}

fn type_of(schema: &Value, indent: &str) -> String {
    let Some(schema) = schema.as_object() else { return "unknown".to_owned() };
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return name.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let mut parts = Vec::new();
    for combined in ["oneOf", "anyOf"] {
        if let Some(alternatives) = schema.get(combined).and_then(Value::as_array) {
            let alternatives: Vec<String> =
                alternatives.iter().map(|schema| type_of(schema, indent)).collect();
            parts.push(format!("({})", alternatives.join(" | ")));
        }
    }
    if let Some(all) = schema.get("allOf").and_then(Value::as_array) {
        parts.extend(all.iter().map(|schema| type_of(schema, indent)));
    }
    if let Some(kinds) = schema.get("type").and_then(Value::as_array) {
        let kinds: Vec<String> =
            kinds.iter().map(|kind| simple(kind.as_str().unwrap(), schema, indent)).collect();
        parts.push(kinds.join(" | "));
    } else if let Some(kind) = schema.get("type").and_then(Value::as_str) {
        parts.push(simple(kind, schema, indent));
    }
    if parts.is_empty() { "unknown".to_owned() } else { parts.join(" & ") }
}

fn simple(kind: &str, schema: &Map<String, Value>, indent: &str) -> String {
    match kind {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => kind.to_owned(),
        "array" => match type_of(schema.get("items").unwrap_or(&Value::Null), indent) {
            item if item.contains(" | ") || item.contains(" & ") => format!("({item})[]"),
            item => format!("{item}[]"),
        },
        _ => object(schema, indent),
    }
}

fn object(schema: &Map<String, Value>, indent: &str) -> String {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        let values =
            schema.get("additionalProperties").map_or("unknown".to_owned(), |values| type_of(values, indent));
        return format!("Record<string, {values}>");
    };
    let required = |name: &str| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|required| required.iter().any(|r| r == name))
    };
    let inner = format!("{indent}  ");
    let members: String = properties
        .iter()
        .map(|(name, property)| {
            let optional = if required(name) { "" } else { "?" };
            format!("{}{name}{optional}: {};", comment(property, &inner), type_of(property, &inner))
        })
        .collect();
    format!("{{{members}\n{indent}}}")
}

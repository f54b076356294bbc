//! A proposed call as a form to confirm: one field per property of the tool's schema, filled in with known values.

use std::sync::OnceLock;

use palyra_a2ui::limits::{MAX_CELL_BYTES, MAX_FIELDS, MAX_LABEL_BYTES, MAX_OPTIONS};
use palyra_a2ui::{A2uiDocument, A2uiError};
use serde_json::{Map, Value, json};

use crate::tool::ToolCard;

/// Id of the component with the form.
pub(crate) const FORM: &str = "arguments";
/// Name of the field with all arguments as JSON, if the schema has no properties that can be fields.
pub(crate) const WHOLE: &str = "arguments";

/// Encoding of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The value is the argument.
    Plain,
    /// The value is the argument as JSON text.
    Json,
}

/// Returns a form for a call of a tool. Known arguments are its defaults; `about` explains their origin.
pub(crate) fn document(
    surface: &str,
    tool: &ToolCard,
    known: &Map<String, Value>,
    about: &str,
) -> Result<A2uiDocument, A2uiError> {
    let fields = match properties(&tool.input_schema) {
        Some(properties) if !properties.is_empty() => properties
            .iter()
            .map(|(name, schema)| field(name, schema, is_required(tool, name), known.get(name)))
            .collect(),
        Some(_) => Vec::new(),
        None => vec![whole(known)],
    };
    let mut components = vec![
        json!({ "id": "about", "type": "text", "props": { "value": about, "tone": "muted" } }),
        json!({ "id": "tool", "type": "text", "props": { "value": line(&describe(tool)) } }),
    ];
    if !fields.is_empty() {
        let form = json!({ "title": line(&tool.title), "submit_label": "Run", "fields": fields });
        components.push(json!({ "id": FORM, "type": "form", "props": form }));
    }
    A2uiDocument::parse(&json!({ "v": 1, "surface": surface, "components": components }).to_string())
}

/// Returns the properties that each get a field, or `None` if the arguments have to be written as JSON.
fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    static NONE: OnceLock<Map<String, Value>> = OnceLock::new();
    // A schema without properties takes an empty object.
    let properties = match schema.get("properties") {
        Some(properties) => properties.as_object()?,
        None => NONE.get_or_init(Map::new),
    };
    let plain = |name: &String| {
        name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    };
    (properties.len() <= MAX_FIELDS && properties.keys().all(plain)).then_some(properties)
}

/// Returns the encoding of a property's value in the form.
pub(crate) fn shape(schema: &Value, name: &str) -> Shape {
    if name == WHOLE && properties(schema).is_none() {
        return Shape::Json;
    }
    match kind(schema.get("properties").and_then(|properties| properties.get(name)).unwrap_or(&Value::Null)) {
        "json" => Shape::Json,
        _ => Shape::Plain,
    }
}

/// Returns whether the form has a single field with all arguments as JSON.
pub(crate) fn is_whole(schema: &Value) -> bool {
    properties(schema).is_none()
}

fn kind(schema: &Value) -> &'static str {
    if options(schema).is_some() {
        return "select";
    }
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    match (type_name(schema), format) {
        (Some("string"), "date") => "date",
        (Some("string"), "date-time") => "datetime",
        (Some("string"), "email") => "email",
        (Some("string"), _) => "textarea",
        (Some("number" | "integer"), _) => "number",
        (Some("boolean"), _) => "checkbox",
        (Some("array"), _) if schema.get("items").and_then(options).is_some() => "multiselect",
        _ => "json",
    }
}

/// Returns the only type of a value besides null; null means that an optional field is empty.
fn type_name(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(names) => {
            let mut names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.next().filter(|_| names.next().is_none())
        }
        name => name.as_str(),
    }
}

/// Returns the values of an enumeration of short texts.
fn options(schema: &Value) -> Option<Vec<&str>> {
    let values = schema.get("enum")?.as_array()?;
    let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
    texts.filter(|texts| {
        (1..=MAX_OPTIONS).contains(&texts.len())
            && texts.iter().all(|text| !text.is_empty() && line(text) == **text)
    })
}

fn field(name: &str, schema: &Value, required: bool, known: Option<&Value>) -> Value {
    let kind = kind(schema);
    let mut field = Map::new();
    field.insert("name".into(), name.into());
    field.insert("type".into(), if kind == "json" { "textarea" } else { kind }.into());
    field.insert("label".into(), name.into());
    let hint = schema.get("description").and_then(Value::as_str).map(line).unwrap_or_default();
    let hint = if kind == "json" { line(format!("{hint} (JSON)").trim()) } else { hint };
    if !hint.is_empty() {
        field.insert("hint".into(), hint.into());
    }
    // A required checkbox would have to be checked, so that false could not be submitted.
    if required && kind != "checkbox" {
        field.insert("required".into(), true.into());
    }
    let choices = match kind {
        "select" => options(schema),
        "multiselect" => schema.get("items").and_then(options),
        _ => None,
    };
    if let Some(choices) = choices {
        field.insert("options".into(), choices.into());
    }
    if kind == "number" {
        for (from, to) in [("minimum", "min"), ("maximum", "max")] {
            if let Some(bound) = schema.get(from).filter(|bound| bound.is_number()) {
                field.insert(to.into(), bound.clone());
            }
        }
    }
    let default = known.or_else(|| schema.get("default")).and_then(|value| default_of(kind, value));
    if let Some(default) = default {
        field.insert("default".into(), default);
        // A default that the document check rejects would make the whole form invalid.
        if !is_accepted(&field) {
            field.remove("default");
        }
    }
    Value::Object(field)
}

fn default_of(kind: &str, value: &Value) -> Option<Value> {
    match (kind, value) {
        ("json", value) => Some(value.to_string().into()),
        ("checkbox", Value::Bool(_)) | ("number", Value::Number(_)) => Some(value.clone()),
        ("multiselect", Value::Array(_)) => Some(value.clone()),
        ("number" | "checkbox" | "multiselect", _) => None,
        (_, Value::String(text)) if text.len() <= MAX_CELL_BYTES => Some(value.clone()),
        _ => None,
    }
}

fn is_accepted(field: &Map<String, Value>) -> bool {
    let form = json!({ "fields": [field] });
    let components = json!([{ "id": FORM, "type": "form", "props": form }]);
    A2uiDocument::parse(&json!({ "v": 1, "surface": "s", "components": components }).to_string()).is_ok()
}

fn whole(known: &Map<String, Value>) -> Value {
    let text = Value::Object(known.clone()).to_string();
    let text = if text.len() <= MAX_CELL_BYTES { text } else { "{}".to_owned() };
    json!({ "name": WHOLE, "type": "textarea", "label": "Arguments", "hint": "A JSON object", "required": true,
        "default": text })
}

fn is_required(tool: &ToolCard, name: &str) -> bool {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

fn describe(tool: &ToolCard) -> String {
    format!("{}: {}", tool.tool_id, tool.description)
}

/// Escapes a text of a manifest and limits it to one line with the length of a label.
pub(crate) fn line(text: &str) -> String {
    let text = palyra_common::redact::escape_untrusted(&text.replace(['\n', '\t'], " "));
    text.get(..text.floor_char_boundary(MAX_LABEL_BYTES)).unwrap_or_default().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
pub(crate) mod tests {
    use super::*;
    use crate::tool::ToolAccess;

    pub(crate) fn tool(schema: Value) -> ToolCard {
        ToolCard {
            tool_id: "acme.demo.run".into(),
            model_name: "acme__demo__run".into(),
            title: "Demo".into(),
            description: "Runs a demo.".into(),
            input_schema: schema,
            output_schema: json!({}),
            examples: Vec::new(),
            skill_id: "acme.demo".into(),
            access: ToolAccess::default(),
        }
    }

    fn fields(tool: &ToolCard, known: Value) -> Value {
        let document = document("s", tool, known.as_object().unwrap(), "about").unwrap();
        let document: Value = serde_json::from_str(document.to_json().as_str()).unwrap();
        document["components"][2]["props"]["fields"].clone()
    }

    #[test]
    fn fields_follow_from_the_schema_and_defaults_from_what_is_known() {
        let tool = tool(json!({ "type": "object", "required": ["text", "count"], "properties": {
            "count": { "type": "integer", "minimum": 1, "maximum": 9 },
            "deep": { "type": "object" },
            "kind": { "type": "string", "enum": ["a", "b"] },
            "on": { "type": "boolean" },
            "text": { "type": "string", "description": "What to\nread" },
        } }));
        let fields = fields(&tool, json!({ "text": "to be", "count": 3, "kind": "c", "deep": { "x": 1 } }));
        let kinds: Vec<&str> =
            fields.as_array().unwrap().iter().map(|field| field["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["number", "textarea", "select", "checkbox", "textarea"]);
        assert_eq!(fields[0]["default"], 3);
        assert_eq!(fields[1]["default"], r#"{"x":1}"#);
        assert_eq!(fields[2].get("default"), None, "a default that is not an option is omitted");
        assert_eq!((&fields[4]["default"], &fields[4]["hint"]), (&json!("to be"), &json!("What to read")));
    }

    #[test]
    fn value_that_may_be_null_is_written_as_its_other_type() {
        let tool = tool(json!({ "type": "object", "properties": {
            "day": { "type": ["string", "null"], "format": "date" },
            "either": { "type": ["string", "integer"] },
            "title": { "type": ["string", "null"] },
        } }));
        let shapes = ["day", "either", "title"].map(|name| shape(&tool.input_schema, name));
        assert_eq!(shapes, [Shape::Plain, Shape::Json, Shape::Plain]);
        let fields = fields(&tool, json!({ "title": "Oslo" }));
        assert_eq!((&fields[0]["type"], &fields[2]["default"]), (&json!("date"), &json!("Oslo")));
    }

    #[test]
    fn odd_property_names_are_written_as_json_and_no_properties_need_no_form() {
        let odd = tool(json!({ "type": "object", "properties": { "a b": { "type": "string" } } }));
        assert_eq!(fields(&odd, json!({}))[0]["name"], WHOLE);
        assert!(is_whole(&odd.input_schema));
        let none = tool(json!({ "type": "object" }));
        assert_eq!(document("s", &none, &Map::new(), "about").unwrap().components().len(), 2);
    }
}

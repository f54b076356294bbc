//! Valid documents, and the errors of invalid ones.

use palyra_a2ui::limits::{MAX_COMPONENTS, MAX_DOCUMENT_BYTES, MAX_ROWS};
use palyra_a2ui::{A2uiDocument, ComponentBody};
use serde_json::{Value, json};

pub(crate) fn with(kind: &str, props: &Value) -> Value {
    json!({"v": 1, "surface": "s", "components": [{"id": "a", "type": kind, "props": props}]})
}

pub(crate) fn parse(kind: &str, props: &Value) -> A2uiDocument {
    A2uiDocument::parse(&with(kind, props).to_string()).unwrap()
}

#[track_caller]
fn refused(document: &Value, pointer: &str) {
    let error = A2uiDocument::parse(&document.to_string()).unwrap_err();
    assert_eq!(error.pointer, pointer, "{error}");
}

#[track_caller]
fn props_refused(kind: &str, props: &Value, pointer: &str) {
    refused(&with(kind, props), &format!("/components/0/props{pointer}"));
}

fn examples() -> Vec<A2uiDocument> {
    vec![
        parse("text", &json!({"value": "Hello\nthere", "tone": "warning"})),
        parse("markdown", &json!({"value": "# T\n\n- [a](https://example.org)\n- b"})),
        parse("list", &json!({"items": ["a", {"label": "Disk", "value": 93.5, "detail": "of 120"}]})),
        parse(
            "table",
            &json!({"columns": [{"key": "n", "label": "N", "type": "number"}],
            "rows": [{"n": 1}, {"n": -2.5}, {}], "sort": {"key": "n"}, "page_size": 10}),
        ),
        parse(
            "form",
            &json!({"title": "F", "fields": [
            {"name": "e", "type": "email", "label": "E", "required": true},
            {"name": "s", "type": "slider", "label": "S", "min": 0, "max": 10, "step": 0.5, "default": 2.5},
            {"name": "m", "type": "multiselect", "label": "M", "options": ["a", "b"], "default": ["b"]},
            {"name": "d", "type": "date", "label": "D", "min": "2026-01-01"},
            {"name": "k", "type": "secret", "label": "K"}]}),
        ),
        parse(
            "chart",
            &json!({"kind": "line", "x": {"type": "time", "values": ["2026-01-01", "2026-01-02"]},
            "series": [{"name": "a", "values": [1, null]}], "units": "ms"}),
        ),
        parse("map_of_later", &json!({"zoom": 3, "points": [[1, 2]]})),
    ]
}

#[test]
fn accepted_documents_serialise_to_equal_documents() {
    for document in examples() {
        assert_eq!(A2uiDocument::parse(document.to_json().as_str()).unwrap(), document);
    }
    let unknown = examples().pop().unwrap();
    assert!(matches!(unknown.components()[0].body, ComponentBody::Unknown(_)));
}

#[test]
fn schema_accepts_every_accepted_document() {
    let schema = jsonschema::validator_for(&palyra_a2ui::json_schema()).unwrap();
    for document in examples() {
        let value = serde_json::to_value(&document).unwrap();
        if let Err(error) = schema.validate(&value) {
            panic!("{value}: {error}");
        }
    }
    assert!(!schema.is_valid(&with("text", &json!({"value": "x", "more": 1}))));
    assert!(!schema.is_valid(&json!({"a": 1})));
}

#[test]
fn errors_name_their_place() {
    refused(&json!({"a": 1}), "/a");
    refused(&json!({"v": 2, "surface": "s", "components": []}), "/v");
    refused(&json!({"v": 1, "surface": "__proto__", "components": []}), "/surface");
    props_refused("text", &json!({"value": "x", "more": 1}), "/more");
    props_refused("text", &json!({"value": "\u{1b}[2J"}), "/value");
    props_refused("text", &json!({"value": "\u{202e}"}), "/value");
    props_refused("markdown", &json!({"value": "[x](javascript:alert)"}), "/value");
    props_refused("markdown", &json!({"value": "![x](https://example.org/x.png)"}), "/value");
    props_refused("list", &json!({"items": ["a", {"label": "b", "tone": "loud"}]}), "/items/1/tone");
    let columns = json!([{"key": "n", "label": "N", "type": "number"}]);
    props_refused("table", &json!({"columns": columns, "rows": [{"n": 1}, {"n": "1"}]}), "/rows/1/n");
    props_refused("table", &json!({"columns": columns, "rows": [{"m": 1}]}), "/rows/0/m");
    props_refused("table", &json!({"columns": columns, "rows": vec![json!({}); MAX_ROWS + 1]}), "/rows");
    let pie = json!({"kind": "pie", "x": {"values": ["a"]}, "series": [{"name": "s", "values": [-1]}]});
    props_refused("chart", &pie, "/series/0/values/0");
    let field = json!({"fields": [{"name": "a", "type": "secret", "label": "A", "default": "x"}]});
    props_refused("form", &field, "/fields/0/default");
    let field = json!({"fields": [{"name": "a", "type": "number", "label": "A", "options": ["x"]}]});
    props_refused("form", &field, "/fields/0/options");
}

#[test]
fn limits_between_components_hold() {
    let text = |id: usize| json!({"id": id.to_string(), "type": "text", "props": {"value": ""}});
    let many: Vec<Value> = (0..=MAX_COMPONENTS).map(text).collect();
    refused(&json!({"v": 1, "surface": "s", "components": many}), "/components");
    refused(&json!({"v": 1, "surface": "s", "components": [text(1), text(1)]}), "/components/1/id");
    let error = A2uiDocument::parse(&" ".repeat(MAX_DOCUMENT_BYTES + 1)).unwrap_err();
    assert_eq!(error.pointer, "");
}

#[test]
fn duplicate_keys_are_refused() {
    let row = r#"{"v":1,"surface":"s","components":[{"id":"a","type":"table","props":
        {"columns":[{"key":"n","label":"N"}],"rows":[{"n":"1","n":"2"}]}}]}"#;
    assert_eq!(A2uiDocument::parse(row).unwrap_err().pointer, "/components/0/props/rows/0");
}

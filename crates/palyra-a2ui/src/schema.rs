//! The JSON Schema of documents, patches and events, for clients and authors.

use palyra_common::json::in_order::sort_objects;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::document::A2uiDocument;
use crate::patch::A2uiPatch;
use crate::submit::A2uiFormSubmitEvent;

/// Returns the schema, as committed in `schemas/json/a2ui/a2ui.schema.json`.
///
/// It accepts a document; patches and events are under `$defs`. It assists authors: only [`A2uiDocument::parse`] checks
/// the rules between values.
#[must_use]
pub fn json_schema() -> Value {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Everything {
        document: A2uiDocument,
        patch: A2uiPatch,
        event: A2uiFormSubmitEvent,
    }
    let everything =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Everything>().to_value();
    let mut definitions = everything.get("$defs").cloned().unwrap_or_default();
    // A component is its id and one of the types, so unknown members are known only after both.
    if let Some(component) = definitions.get_mut("Component").and_then(Value::as_object_mut) {
        component.insert("unevaluatedProperties".into(), json!(false));
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Palyra A2UI document",
        "$ref": "#/$defs/A2uiDocument",
        "$defs": definitions,
    });
    sort_objects(&mut schema);
    schema
}

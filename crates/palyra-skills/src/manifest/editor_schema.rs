//! The JSON Schema of `skill.toml`, for completion and diagnostics in editors.

use palyra_common::json::in_order::sort_objects;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::model::SkillManifest;
use super::names::HOOK_EVENTS;

/// Returns the schema, as committed in `schemas/json/skill-manifest.schema.json`.
///
/// It assists editors; [`super::parse_manifest_toml`] decides whether a manifest is valid.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<SkillManifest>().to_value();
    set(&mut schema, "", "title", json!("Palyra skill manifest (skill.toml)"));
    set(
        &mut schema,
        "",
        "description",
        json!(
            "Identity, entrypoints and requested capabilities of a \
        skill."
        ),
    );
    let quotas: serde_json::Map<String, Value> = crate::grants::quota_names()
        .into_iter()
        .map(|name| (name, json!({ "type": "integer", "minimum": 1 })))
        .collect();
    set(&mut schema, "/$defs/Quotas", "properties", Value::Object(quotas));
    set(&mut schema, "/$defs/Quotas", "additionalProperties", json!(false));
    set(&mut schema, "/$defs/HookEntrypoint/properties/events/items", "enum", json!(HOOK_EVENTS));
    let nodes = crate::compat::NodeCapability::all_names();
    set(&mut schema, "/$defs/Capabilities/properties/node_capabilities/items", "enum", json!(nodes));
    for (pointer, name) in [("ToolEntrypoint", "input_schema"), ("ToolEntrypoint", "output_schema")] {
        set(&mut schema, &format!("/$defs/{pointer}/properties/{name}"), "type", json!("object"));
    }
    sort_objects(&mut schema);
    schema
}

fn set(schema: &mut Value, pointer: &str, key: &str, value: Value) {
    if let Some(Value::Object(place)) = schema.pointer_mut(pointer) {
        place.insert(key.to_owned(), value);
    }
}

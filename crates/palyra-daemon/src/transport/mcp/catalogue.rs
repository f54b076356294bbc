//! The tools that a client sees: those of enabled skills, each under a unique name.

use std::sync::Arc;

use palyra_common::CapabilityGrantSet;
use palyra_skills::manifest::{ToolEntrypoint, model_name};
use palyra_skills::{RuntimeStatus, SkillInventoryEntry, SkillRecord};
use palyra_state::{State, View};
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;

use super::annotations::annotations;

/// Returns every callable tool by name.
pub(super) fn tools(state: &State, structure: Structure) -> Vec<Tool> {
    let view = state.view();
    let mut tools: Vec<Tool> = view
        .index()
        .iter()
        .filter(|record| is_enabled(state, record))
        .flat_map(|record| record.current.tools().map(move |tool| (record, tool)))
        .map(|(record, tool)| to_mcp(&view, tool, &grants(state, record, tool), structure))
        .collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

/// Maximum number of tools in one response to `tools/list`.
const PAGE: usize = 100;

/// Returns one page of [`tools`]: those after a name, with the name to continue after.
pub(super) fn page(state: &State, structure: Structure, after: Option<&str>) -> (Vec<Tool>, Option<String>) {
    cut(tools(state, structure), after, PAGE)
}

fn cut(mut tools: Vec<Tool>, after: Option<&str>, size: usize) -> (Vec<Tool>, Option<String>) {
    tools.retain(|tool| after.is_none_or(|after| *tool.name > *after));
    let more = tools.len() > size;
    tools.truncate(size);
    let next = tools.last().filter(|_| more).map(|tool| tool.name.to_string());
    (tools, next)
}

/// Returns one callable tool by the name it is listed under.
pub(super) fn tool(state: &State, name: &str) -> Option<Tool> {
    let view = state.view();
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let record = view.skill_of_tool(id).filter(|record| is_enabled(state, record))?;
    let tool = record.current.tools().find(|tool| tool.id == id || model_name(&tool.id) == id)?;
    Some(to_mcp(&view, tool, &grants(state, record, tool), Structure::Any))
}

/// Forms of results that a protocol revision permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    /// Any JSON value, since 2026-07-28.
    Any,
    /// An object, as before 2026-07-28.
    Objects,
}

fn is_enabled(state: &State, record: &SkillRecord) -> bool {
    let entry = SkillInventoryEntry::new(record.clone(), state.platform());
    entry.runtime_status == RuntimeStatus::Active
}

/// Returns the grants of a tool; empty if they cannot be computed, in which case its runs fail as well.
fn grants(state: &State, record: &SkillRecord, tool: &ToolEntrypoint) -> Arc<CapabilityGrantSet> {
    palyra_runner::effective_grants_of_tool(state, &record.skill_id, &tool.id)
        .map(|effective| effective.grants)
        .unwrap_or_default()
}

fn to_mcp(view: &View, tool: &ToolEntrypoint, grants: &CapabilityGrantSet, structure: Structure) -> Tool {
    let listed = Tool::new(listed_name(view, tool), tool.description.clone(), input_schema(tool))
        .with_title(tool.name.clone())
        .with_annotations(annotations(&tool.name, grants));
    match output_schema(tool, structure) {
        Some(schema) => listed.with_raw_output_schema(schema),
        None => listed,
    }
}

/// Returns the listed name: an alias of the operator without dots, which models cannot use, or the name for models.
fn listed_name(view: &View, tool: &ToolEntrypoint) -> String {
    let mut aliases = view.aliases().iter().filter(|(alias, of)| **of == tool.id && !alias.contains('.'));
    aliases.next().map_or_else(|| model_name(&tool.id), |(alias, _)| alias.clone())
}

/// Returns the input schema, restricted to objects.
fn input_schema(tool: &ToolEntrypoint) -> Arc<JsonObject> {
    let mut schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    schema.insert("type".into(), "object".into());
    Arc::new(standard_formats(schema))
}

/// The formats of JSON Schema 2020-12; validators of clients warn of any other.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Removes formats that only the schema's generator knows, such as `uint` of Rust types.
fn standard_formats(schema: JsonObject) -> JsonObject {
    schema.into_iter().filter_map(|(key, value)| Some((key.clone(), standard_format(&key, value)?))).collect()
}

/// Converts the value of one keyword. Property names are not keywords, but a property's schema is never a string.
fn standard_format(key: &str, value: Value) -> Option<Value> {
    match value {
        Value::String(format) if key == "format" => {
            FORMATS.contains(&format.as_str()).then_some(Value::String(format))
        }
        // Values of these keywords are data.
        value if matches!(key, "const" | "enum" | "default" | "examples") => Some(value),
        Value::Object(fields) => Some(Value::Object(standard_formats(fields))),
        Value::Array(items) => {
            Some(Value::Array(items.into_iter().filter_map(|item| standard_format("", item)).collect()))
        }
        value => Some(value),
    }
}

fn output_schema(tool: &ToolEntrypoint, structure: Structure) -> Option<Arc<JsonObject>> {
    let schema = tool.output_schema.as_object()?;
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    (is_object || structure == Structure::Any).then(|| Arc::new(standard_formats(schema.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pages_follow_each_other_without_gaps() {
        let all = || ["a", "b", "c"].map(|name| Tool::new(name, "", Arc::new(JsonObject::new()))).to_vec();
        let names = |tools: &[Tool]| tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
        let (first, next) = cut(all(), None, 2);
        assert_eq!((names(&first), next.as_deref()), (vec!["a".to_owned(), "b".to_owned()], Some("b")));
        let (second, end) = cut(all(), next.as_deref(), 2);
        assert_eq!((names(&second), end), (vec!["c".to_owned()], None));
        assert_eq!(cut(all(), None, 3).1, None);
    }

    #[test]
    fn only_standard_formats_reach_clients() {
        let schema = json!({
            "properties": { "n": { "type": "integer", "format": "uint" }, "format": { "format": "date" } },
            "allOf": [{ "format": "int64" }], "default": { "format": "uint" },
        });
        let Value::Object(schema) = schema else { unreachable!() };
        assert_eq!(
            Value::Object(standard_formats(schema)),
            json!({
                "properties": { "n": { "type": "integer" }, "format": { "format": "date" } },
                "allOf": [{}], "default": { "format": "uint" },
            })
        );
    }
}

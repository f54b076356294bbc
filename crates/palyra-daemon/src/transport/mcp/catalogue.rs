//! The tools a client sees: those of skills that are enabled, each under its own name.

use std::sync::Arc;

use palyra_common::CapabilityGrantSet;
use palyra_skills::manifest::{ToolEntrypoint, model_name};
use palyra_skills::{RuntimeStatus, SkillInventoryEntry, SkillRecord};
use palyra_state::{State, View};
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;

use super::annotations::annotations;

/// Every tool that can be called now, by name.
pub(super) fn tools(state: &State, structure: Structure) -> Vec<Tool> {
    let view = state.view();
    let mut tools: Vec<Tool> = view
        .index()
        .iter()
        .filter(|record| is_enabled(state, record))
        .flat_map(|record| {
            let grants = grants(state, record);
            record.current.tools().map(|tool| to_mcp(&view, tool, &grants, structure)).collect::<Vec<_>>()
        })
        .collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

/// One tool that can be called now, by the name it is listed under.
pub(super) fn tool(state: &State, name: &str) -> Option<Tool> {
    let view = state.view();
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let record = view.skill_of_tool(id).filter(|record| is_enabled(state, record))?;
    let tool = record.current.tools().find(|tool| tool.id == id || model_name(&tool.id) == id)?;
    Some(to_mcp(&view, tool, &grants(state, record), Structure::Any))
}

/// What a revision of the protocol lets results be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    /// Any JSON value.
    Any,
    /// An object, as before 2026-07-28.
    Objects,
}

fn is_enabled(state: &State, record: &SkillRecord) -> bool {
    let entry = SkillInventoryEntry::new(record.clone(), state.platform());
    entry.runtime_status == RuntimeStatus::Active
}

/// What runs of a skill get; one whose grants cannot be told is taken for one that has none, as its runs would be.
fn grants(state: &State, record: &SkillRecord) -> Arc<CapabilityGrantSet> {
    palyra_runner::effective_grants(state, &record.skill_id)
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

/// An operator may give a tool another name; a name with dots is none that models can use.
fn listed_name(view: &View, tool: &ToolEntrypoint) -> String {
    let mut aliases = view.aliases().iter().filter(|(alias, of)| **of == tool.id && !alias.contains('.'));
    aliases.next().map_or_else(|| model_name(&tool.id), |(alias, _)| alias.clone())
}

/// Arguments are an object, whatever else a schema says.
fn input_schema(tool: &ToolEntrypoint) -> Arc<JsonObject> {
    let mut schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    schema.insert("type".into(), "object".into());
    Arc::new(schema)
}

fn output_schema(tool: &ToolEntrypoint, structure: Structure) -> Option<Arc<JsonObject>> {
    let schema = tool.output_schema.as_object()?;
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    (is_object || structure == Structure::Any).then(|| Arc::new(schema.clone()))
}

//! The catalog of installed tools: lists, searches, and single tools.

use palyra_agent::ToolAccess;
use palyra_api::Problem;
use palyra_api::tools::{ToolInfo, ToolSummary};
use palyra_runner::effective_grants_of_tool;
use palyra_skills::manifest::{ToolEntrypoint, ToolReturns, model_name};
use palyra_skills::{Platform, SkillRecord};
use palyra_state::{State, View};

use crate::app::App;
use crate::problem::{ToProblem, not_found};
use crate::to_api::ToApi;

/// Weight of a word in the id, the name or the description.
const WEIGHTS: [u32; 3] = [4, 2, 1];

/// Returns every tool by id.
pub(crate) fn list(state: &State) -> Vec<ToolSummary> {
    let view = state.view();
    let mut tools: Vec<ToolSummary> =
        all(&view).map(|(record, tool)| summary(&view, record, tool, state.platform())).collect();
    tools.sort_by(|one, other| one.tool_id.cmp(&other.tool_id));
    tools
}

/// Returns the tools that match some words, best first.
pub(crate) fn search(state: &State, words: &str, limit: usize) -> Vec<ToolSummary> {
    let words: Vec<String> =
        words.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let scored = list(state).into_iter().map(|tool| (score(&tool, &words), tool));
    let mut found: Vec<(u32, ToolSummary)> = scored.filter(|(score, _)| *score > 0).collect();
    // The list is sorted by id, and this keeps the order of equals.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(limit).map(|(_, tool)| tool).collect()
}

/// Returns one tool, by id, name for models or alias.
pub(crate) fn show(app: &App, name: &str) -> Result<ToolInfo, Problem> {
    let state = app.state();
    let view = state.view();
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let found = all(&view).find(|(_, tool)| tool.id == id || model_name(&tool.id) == id);
    let Some((record, tool)) = found else {
        return Err(not_found("tool", name, all(&view).map(|(_, tool)| tool.id.clone()).collect()));
    };
    let effective = effective_grants_of_tool(state, &record.skill_id, &tool.id);
    let grants = effective.map_err(|error| error.to_problem())?.grants;
    let cost = state.runs().tool_cost(&record.skill_id, &tool.id).map_err(|error| error.to_problem())?;
    Ok(ToolInfo {
        summary: summary(&view, record, tool, state.platform()),
        payload: record.current.payload.to_string(),
        version: record.current.manifest.version.to_string(),
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
        sensitive: tool.risk.default_sensitive,
        returns: match tool.returns {
            ToolReturns::Json => "json",
            ToolReturns::A2ui => "a2ui",
        }
        .into(),
        examples: tool.examples.clone(),
        grants: grants.to_api(),
        read_only: !ToolAccess::of(&grants).writes,
        cost: cost.to_api(),
        code: app.code_of(record),
    })
}

fn all(view: &View) -> impl Iterator<Item = (&SkillRecord, &ToolEntrypoint)> {
    view.index().iter().flat_map(|record| record.current.tools().map(move |tool| (record, tool)))
}

fn summary(view: &View, record: &SkillRecord, tool: &ToolEntrypoint, platform: &Platform) -> ToolSummary {
    let aliases = view.aliases().iter().filter(|(_, of)| **of == tool.id);
    ToolSummary {
        tool_id: tool.id.clone(),
        model_name: model_name(&tool.id),
        aliases: aliases.map(|(alias, _)| alias.clone()).collect(),
        skill_id: record.skill_id.clone(),
        name: tool.name.clone(),
        description: tool.description.clone(),
        status: record.status_and_eligibility(platform).0.to_api(),
        requires_approval: tool.risk.requires_approval,
    }
}

fn score(tool: &ToolSummary, words: &[&str]) -> u32 {
    let texts = [&tool.tool_id, &tool.name, &tool.description].map(|text| text.to_lowercase());
    let worth = |word: &&str| -> u32 {
        texts.iter().zip(WEIGHTS).filter(|(text, _)| text.contains(*word)).map(|(_, weight)| weight).sum()
    };
    words.iter().map(worth).sum()
}

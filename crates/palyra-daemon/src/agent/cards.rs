//! The tools a session may use now.

use palyra_agent::{SessionState, ToolAccess, ToolCard};
use palyra_runner::effective_grants_of_tool;
use palyra_skills::manifest::model_name;
use palyra_skills::{RuntimeStatus, SkillInventoryEntry};
use palyra_state::State;

/// Returns every tool of an active skill that the session can use, by id.
pub(super) fn cards(state: &State, session: &SessionState) -> Vec<ToolCard> {
    let view = state.view();
    let mut cards = Vec::new();
    for record in view.index().iter() {
        let entry = SkillInventoryEntry::new(record.clone(), state.platform());
        if entry.runtime_status != RuntimeStatus::Active {
            continue;
        }
        for tool in record.current.tools() {
            if !session.tools.is_empty() && !session.tools.contains(&tool.id) {
                continue;
            }
            // Runs of a tool whose grants cannot be computed get none.
            let effective = effective_grants_of_tool(state, &record.skill_id, &tool.id);
            let access = ToolAccess::of(&effective.map(|effective| effective.grants).unwrap_or_default());
            let alias = view.aliases().iter().find(|(alias, of)| **of == tool.id && !alias.contains('.'));
            cards.push(ToolCard {
                tool_id: tool.id.clone(),
                model_name: alias.map_or_else(|| model_name(&tool.id), |(alias, _)| alias.clone()),
                title: tool.name.clone(),
                description: tool.description.clone(),
                input_schema: tool.input_schema.clone(),
                output_schema: tool.output_schema.clone(),
                examples: tool.examples.clone(),
                skill_id: record.skill_id.clone(),
                access,
            });
        }
    }
    cards.sort_by(|one, other| one.tool_id.cmp(&other.tool_id));
    cards
}

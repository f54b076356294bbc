//! A form to choose one of several tools that match a message equally well.

use palyra_a2ui::{A2uiDocument, A2uiError};
use serde_json::json;

use crate::plan::Candidate;
use crate::proposal_form::{FORM, line};
use crate::tool::ToolCard;

/// Name of the form field with the chosen tool.
pub(crate) const TOOL: &str = "tool";

/// Returns a form with the tools to choose from, best first; `about` explains the choice.
pub(crate) fn document(
    surface: &str,
    candidates: &[Candidate],
    tools: &[ToolCard],
    about: &str,
) -> Result<A2uiDocument, A2uiError> {
    let cards = || candidates.iter().filter_map(|one| tools.iter().find(|tool| tool.tool_id == one.tool_id));
    let items: Vec<String> =
        cards().map(|tool| line(&format!("{}: {}", tool.tool_id, tool.description))).collect();
    let options: Vec<&str> = cards().map(|tool| tool.tool_id.as_str()).collect();
    // Without a default: a tool is chosen by a person, never by a confirmation alone.
    let field =
        json!({ "name": TOOL, "type": "select", "label": "Tool", "required": true, "options": options });
    let components = json!([
        { "id": "about", "type": "text", "props": { "value": about, "tone": "muted" } },
        { "id": "tools", "type": "list", "props": { "ordered": true, "items": items } },
        { "id": FORM, "type": "form", "props": { "submit_label": "Choose", "fields": [field] } },
    ]);
    A2uiDocument::parse(&json!({ "v": 1, "surface": surface, "components": components }).to_string())
}

//! A surface as it is stored: a checked document at a revision, and where it comes from.

use palyra_a2ui::{A2uiDocument, ComponentBody};
use palyra_api::sessions::Surface;
use palyra_common::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A surface; the owner of the state root keeps it as a sealed row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceState {
    /// Its name.
    pub surface: String,
    /// The session.
    pub session_id: String,
    /// Its revision, from 1.
    pub rev: u64,
    /// The agent run that last changed it.
    pub run_id: String,
    /// The tool that made the document; none for a form of the local router.
    pub tool_id: Option<String>,
    /// The skill of the tool.
    pub skill_id: Option<String>,
    /// The run of the tool.
    pub tool_run_id: Option<String>,
    /// The document as JSON text.
    pub document: String,
    /// Time of the last change.
    pub updated_ms: u64,
}

impl SurfaceState {
    /// The document, checked again.
    pub fn document(&self) -> Result<A2uiDocument, palyra_a2ui::A2uiError> {
        A2uiDocument::parse(&self.document)
    }

    /// The surface as clients see it.
    pub fn to_api(&self) -> Surface {
        let Self { surface, session_id, rev, run_id, tool_id, skill_id, tool_run_id, document, updated_ms } =
            self.clone();
        let document = value(&document);
        Surface { surface, session_id, rev, run_id, tool_id, skill_id, tool_run_id, document, updated_ms }
    }
}

/// The first form of a document, by the id of its component.
pub(crate) fn first_form(document: &A2uiDocument) -> Option<&str> {
    let form = |body: &ComponentBody| matches!(body, ComponentBody::Form(_));
    document
        .components()
        .iter()
        .find(|component| form(&component.body))
        .map(|component| component.id.as_str())
}

/// The patch that leads from one document of a surface to the next; none where it would be longer than the document.
pub(crate) fn patch_between(old: &A2uiDocument, new: &A2uiDocument, base_rev: u64) -> Option<Value> {
    let mut ops = Vec::new();
    for component in old.components() {
        if new.component(&component.id).is_none() {
            ops.push(json!({ "op": "remove", "id": component.id }));
        }
    }
    let kept: Vec<&str> = old
        .components()
        .iter()
        .map(|component| component.id.as_str())
        .filter(|id| new.component(id).is_some())
        .collect();
    let in_order: Vec<&str> = new
        .components()
        .iter()
        .map(|component| component.id.as_str())
        .filter(|id| old.component(id).is_some())
        .collect();
    if kept != in_order {
        return None;
    }
    for (index, component) in new.components().iter().enumerate() {
        let body = serde_json::to_value(component).ok()?;
        match old.component(&component.id) {
            Some(before) if before == component => {}
            Some(_) => ops.push(json!({ "op": "replace", "component": body })),
            None => {
                let next =
                    new.components().iter().skip(index + 1).find(|next| old.component(&next.id).is_some());
                let mut op = json!({ "op": "add", "component": body });
                if let (Some(next), Some(op)) = (next, op.as_object_mut()) {
                    op.insert("before".into(), next.id.clone().into());
                }
                ops.push(op);
            }
        }
    }
    let fits = !ops.is_empty() && ops.len() <= palyra_a2ui::limits::MAX_COMPONENTS;
    let patch =
        json!({ "v": 1, "surface": new.surface(), "base_rev": base_rev, "rev": base_rev + 1, "ops": ops });
    // What a client is sent leads to exactly what is stored, or it gets the whole document.
    let text = JsonText::from(&patch);
    let applied = palyra_a2ui::A2uiPatch::parse(text.as_str()).ok()?.apply(old, base_rev).ok()?;
    (fits && applied == *new).then_some(patch)
}

pub(crate) fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn document(texts: &[(&str, &str)]) -> A2uiDocument {
        let components: Vec<Value> = texts
            .iter()
            .map(|(id, text)| json!({ "id": id, "type": "text", "props": { "value": text } }))
            .collect();
        let document = json!({ "v": 1, "surface": "s", "components": components });
        A2uiDocument::parse(&document.to_string()).unwrap()
    }

    #[test]
    fn patch_adds_replaces_and_removes_in_place() {
        let old = document(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let new = document(&[("x", "0"), ("a", "1"), ("c", "4"), ("y", "5")]);
        let patch = patch_between(&old, &new, 7).unwrap();
        let ops: Vec<&str> =
            patch["ops"].as_array().unwrap().iter().map(|op| op["op"].as_str().unwrap()).collect();
        assert_eq!((ops, &patch["rev"]), (vec!["remove", "add", "replace", "add"], &json!(8)));
    }

    #[test]
    fn reordered_or_equal_documents_have_no_patch() {
        let old = document(&[("a", "1"), ("b", "2")]);
        assert_eq!(patch_between(&old, &document(&[("b", "2"), ("a", "1")]), 1), None);
        assert_eq!(patch_between(&old, &old, 1), None);
    }
}

//! The stored form of a surface: a checked document with its revision and origin.

use palyra_a2ui::{A2uiDocument, ComponentBody};
use palyra_api::sessions::Surface;
use palyra_common::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A surface. The owner of the state root stores it as a sealed row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceState {
    /// Name, unique in the session.
    pub surface: String,
    /// Session of the surface.
    pub session_id: String,
    /// Revision, starting at 1; incremented with every change.
    pub rev: u64,
    /// Agent run that changed it last.
    pub run_id: String,
    /// Tool that returned the document; `None` for a form of the local router.
    pub tool_id: Option<String>,
    /// Skill that owns the tool.
    pub skill_id: Option<String>,
    /// Run of the tool.
    pub tool_run_id: Option<String>,
    /// Document as JSON text.
    pub document: String,
    /// Time of the last change in Unix milliseconds.
    pub updated_ms: u64,
}

impl SurfaceState {
    /// Parses and checks the document.
    pub fn document(&self) -> Result<A2uiDocument, palyra_a2ui::A2uiError> {
        A2uiDocument::parse(&self.document)
    }

    /// Returns the surface in its API form.
    pub fn to_api(&self) -> Surface {
        let Self { surface, session_id, rev, run_id, tool_id, skill_id, tool_run_id, document, updated_ms } =
            self.clone();
        let document = value(&document);
        Surface { surface, session_id, rev, run_id, tool_id, skill_id, tool_run_id, document, updated_ms }
    }
}

/// Returns the id of the component with the first form of a document.
pub(crate) fn first_form(document: &A2uiDocument) -> Option<&str> {
    let form = |body: &ComponentBody| matches!(body, ComponentBody::Form(_));
    document
        .components()
        .iter()
        .find(|component| form(&component.body))
        .map(|component| component.id.as_str())
}

/// Returns the patch from one document to the next, or `None` if the order of kept components changes or the patch is
/// not exact.
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
    // Verified by applying it: the client must arrive at exactly the stored document, or it gets the whole one.
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

//! Patches change a document as a whole or not at all.

use palyra_a2ui::{A2uiDocument, A2uiPatch, PatchError};
use serde_json::{Value, json};

fn text(id: &str) -> Value {
    json!({"id": id, "type": "text", "props": {"value": id}})
}

fn document() -> A2uiDocument {
    let document = json!({"v": 1, "surface": "s", "components": [text("a"), text("b")]});
    A2uiDocument::parse(&document.to_string()).unwrap()
}

fn patch(ops: &Value) -> A2uiPatch {
    let patch = json!({"v": 1, "surface": "s", "base_rev": 1, "rev": 2, "ops": ops});
    A2uiPatch::parse(&patch.to_string()).unwrap()
}

#[test]
fn operations_apply_in_order() {
    let ops = json!([
        {"op": "add", "component": text("c"), "before": "a"},
        {"op": "move", "id": "a"},
        {"op": "remove", "id": "b"},
        {"op": "replace", "component": {"id": "a", "type": "markdown", "props": {"value": "x"}}},
    ]);
    let changed = patch(&ops).apply(&document(), 1).unwrap();
    let ids: Vec<&str> = changed.components().iter().map(|component| component.id.as_str()).collect();
    assert_eq!(ids, ["c", "a"]);
}

#[test]
fn patch_that_does_not_fit_names_its_operation() {
    for (ops, pointer) in [
        (json!([{"op": "remove", "id": "a"}, {"op": "remove", "id": "a"}]), "/ops/1/id"),
        (json!([{"op": "add", "component": text("a")}]), "/ops/0/component/id"),
        (json!([{"op": "move", "id": "a", "before": "a"}]), "/ops/0/before"),
    ] {
        let Err(PatchError::Invalid(error)) = patch(&ops).apply(&document(), 1) else { panic!("{ops}") };
        assert_eq!(error.pointer, pointer);
    }
    let stale = patch(&json!([{"op": "remove", "id": "a"}])).apply(&document(), 2);
    assert_eq!(stale, Err(PatchError::Stale { base_rev: 1, current: 2 }));
    let patch = json!({"v": 1, "surface": "s", "base_rev": 1, "rev": 2,
        "ops": [{"op": "add", "component": {"id": "x", "type": "text", "props": {"value": 1}}}]});
    let error = A2uiPatch::parse(&patch.to_string()).unwrap_err();
    assert_eq!(error.pointer, "/ops/0/component/props/value");
}

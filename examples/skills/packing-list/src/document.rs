//! A document for people; `docs/a2ui.md` has its format and limits.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{Value, json};

/// A document that the host checks and clients draw.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document {
    v: u32,
    surface: String,
    components: Vec<Value>,
}

impl Document {
    /// All steps have the same surface, so that clients replace one with the next.
    pub(crate) fn new(components: Vec<Value>) -> Self {
        Self { v: 1, surface: "packing-list".to_owned(), components }
    }
}

/// A component of a document.
pub(crate) fn component(id: &str, kind: &str, props: Value) -> Value {
    json!({ "id": id, "type": kind, "props": props })
}

//! The text of a skill that models read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::digest::Sha256Digest;
use crate::manifest::{SkillManifest, ToolEntrypoint};

/// A text that models can see, with its position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TextField {
    /// JSON pointer into the manifest, with tools by id: `/tools/acme.notes.add/description`.
    ///
    /// A property name has the pointer of the object that contains it.
    pub pointer: String,
    /// The text, unchanged.
    pub text: String,
}

/// Returns every text that a model can read: names, descriptions, and all strings and property names of schemas and
/// examples.
///
/// Sorted, so that the order of tools in the file does not matter.
#[must_use]
pub fn model_visible_text(manifest: &SkillManifest) -> Vec<TextField> {
    let mut fields = Vec::new();
    each_text(manifest, &mut |pointer, text| {
        fields.push(TextField { pointer: pointer.to_owned(), text: text.to_owned() });
    });
    fields.sort();
    fields
}

/// Returns the number of bytes of all fields of [`model_visible_text`], without building it.
pub(crate) fn model_text_bytes(manifest: &SkillManifest) -> usize {
    let mut bytes: usize = 0;
    each_text(manifest, &mut |pointer, text| bytes = bytes.saturating_add(pointer.len() + text.len()));
    bytes
}

/// Returns the digest of all text of this skill that a model can read.
#[must_use]
pub fn model_text_digest(manifest: &SkillManifest) -> Sha256Digest {
    let fields = model_visible_text(manifest);
    let mut hasher = Sha256::new_with_prefix(b"palyra.model-text/v1\0");
    hasher.update((fields.len() as u64).to_be_bytes());
    for part in fields.iter().flat_map(|field| [&field.pointer, &field.text]) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    Sha256Digest::from_bytes(hasher.finalize().into())
}

/// Returns the texts by JSON pointer, to compare two releases.
pub(crate) fn text_by_pointer(manifest: &SkillManifest) -> BTreeMap<String, Vec<String>> {
    let mut map: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for field in model_visible_text(manifest) {
        map.entry(field.pointer).or_default().push(field.text);
    }
    map
}

fn each_text(manifest: &SkillManifest, sink: &mut dyn FnMut(&str, &str)) {
    sink("/name", &manifest.name);
    for (pointer, text) in [("/summary", &manifest.summary), ("/description", &manifest.description)] {
        if let Some(text) = text {
            sink(pointer, text);
        }
    }
    for (pointer, words) in [("/categories", &manifest.categories), ("/tags", &manifest.tags)] {
        words.iter().for_each(|word| sink(pointer, word));
    }
    for tool in &manifest.entrypoints.tools {
        each_text_of_tool(tool, sink);
    }
}

fn each_text_of_tool(tool: &ToolEntrypoint, sink: &mut dyn FnMut(&str, &str)) {
    let at = |key: &str| format!("/tools/{}/{key}", tool.id);
    sink(&at("id"), &tool.id);
    sink(&at("name"), &tool.name);
    sink(&at("description"), &tool.description);
    each_text_of_json(&mut at("input_schema"), &tool.input_schema, sink);
    each_text_of_json(&mut at("output_schema"), &tool.output_schema, sink);
    for (index, example) in tool.examples.iter().enumerate() {
        each_text_of_json(&mut at(&format!("examples/{index}")), example, sink);
    }
}

/// Visits the strings of a JSON value with their pointers.
///
/// The parser of the manifest bounds the depth of the recursion; `pointer` is one buffer that is extended and
/// truncated.
fn each_text_of_json(pointer: &mut String, value: &Value, sink: &mut dyn FnMut(&str, &str)) {
    let length = pointer.len();
    match value {
        Value::String(text) => sink(pointer, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let _ = write!(pointer, "/{index}");
                each_text_of_json(pointer, item, sink);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                sink(pointer, name);
                let _ = write!(pointer, "/{}", name.replace('~', "~0").replace('/', "~1"));
                each_text_of_json(pointer, member, sink);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

//! Compares the self-description of a component with the signed manifest.
//!
//! A difference keeps a skill from running, because a model would be shown another tool than the one it calls.
//! Authors see both sides when they build a package; during a call, a difference quarantines the skill.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use palyra_common::InOrder;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_marked;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::manifest::SkillManifest;

/// The parsed result of `describe()`. Keys that no manifest has are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Description {
    /// The tools of the component, in any order.
    #[serde(default)]
    pub tools: Vec<DescribedTool>,
    /// The hooks of the component, in any order.
    #[serde(default)]
    pub hooks: Vec<DescribedHook>,
}

/// A tool as the component describes it. A missing field is not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedTool {
    /// The tool id.
    pub id: String,
    /// The description that models read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// JSON Schema of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// A hook as the component describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedHook {
    /// The hook id.
    pub id: String,
    /// The events that the hook receives, in any order.
    #[serde(default)]
    pub events: Vec<String>,
}

/// A difference between component and manifest, with both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribeDifference {
    /// The module, for example `modules/notes.wasm`.
    pub module: String,
    /// The id of the tool or hook.
    pub id: String,
    /// The kind of difference.
    #[serde(flatten)]
    pub what: DescribeProblem,
}

/// The kind of a difference between component and manifest.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum DescribeProblem {
    /// The component lists the same id twice.
    Duplicate,
    /// The component has a tool that the manifest does not declare.
    NotInManifest {
        /// The tool as the component describes it.
        described: DescribedTool,
    },
    /// The component has a hook that the manifest does not declare.
    HookNotInManifest,
    /// The manifest declares a tool or hook that the component does not have.
    NotDescribed,
    /// A field of a tool differs, or the events of a hook.
    Field {
        /// `description`, `input_schema`, `output_schema` or `events`.
        field: &'static str,
        /// The value in the manifest.
        manifest: Value,
        /// The value in the description.
        described: Value,
    },
}

impl Description {
    /// Parses the result of `describe()`.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns every difference between this description and the entrypoints that the manifest declares for `module`.
    #[must_use]
    pub fn differences(&self, manifest: &SkillManifest, module: &str) -> Vec<DescribeDifference> {
        let mut found = Vec::new();
        let mut add =
            |id: &str, what| found.push(DescribeDifference { module: module.into(), id: id.into(), what });
        let tools = manifest.entrypoints.tools.iter().filter(|tool| tool.module == module);
        let tools: BTreeMap<&str, _> = tools.map(|tool| (tool.id.as_str(), tool)).collect();
        let mut seen = BTreeSet::new();
        for tool in &self.tools {
            if !seen.insert(tool.id.as_str()) {
                add(&tool.id, DescribeProblem::Duplicate);
                continue;
            }
            let Some(declared) = tools.get(tool.id.as_str()) else {
                add(&tool.id, DescribeProblem::NotInManifest { described: tool.clone() });
                continue;
            };
            let text = tool.description.as_deref().map(Value::from);
            let fields = [
                ("description", Value::from(declared.description.as_str()), text.as_ref()),
                ("input_schema", declared.input_schema.clone(), tool.input_schema.as_ref()),
                ("output_schema", declared.output_schema.clone(), tool.output_schema.as_ref()),
            ];
            for (field, manifest, described) in fields {
                if let Some(described) = described.filter(|described| **described != manifest) {
                    let described = described.clone();
                    add(&tool.id, DescribeProblem::Field { field, manifest, described });
                }
            }
        }
        for id in tools.keys().filter(|id| !seen.contains(*id)) {
            add(id, DescribeProblem::NotDescribed);
        }
        self.hook_differences(manifest, module, &mut add);
        found
    }

    fn hook_differences(
        &self,
        manifest: &SkillManifest,
        module: &str,
        add: &mut dyn FnMut(&str, DescribeProblem),
    ) {
        let hooks = manifest.entrypoints.hooks.iter().filter(|hook| hook.module == module);
        let hooks: BTreeMap<&str, _> = hooks.map(|hook| (hook.id.as_str(), hook)).collect();
        let mut seen = BTreeSet::new();
        for hook in &self.hooks {
            match hooks.get(hook.id.as_str()) {
                _ if !seen.insert(hook.id.as_str()) => add(&hook.id, DescribeProblem::Duplicate),
                None => add(&hook.id, DescribeProblem::HookNotInManifest),
                Some(declared) => {
                    let (manifest, described) = (sorted(&declared.events), sorted(&hook.events));
                    if manifest != described {
                        add(&hook.id, DescribeProblem::Field { field: "events", manifest, described });
                    }
                }
            }
        }
        for id in hooks.keys().filter(|id| !seen.contains(*id)) {
            add(id, DescribeProblem::NotDescribed);
        }
    }
}

/// Sorts events, because their order has no meaning.
fn sorted(events: &[String]) -> Value {
    let mut events = events.to_vec();
    events.sort();
    events.into()
}

impl fmt::Display for DescribeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (module, id) = (&self.module, shown(&self.id));
        match &self.what {
            DescribeProblem::Duplicate => write!(f, "`describe()` of `{module}` has a duplicate `{id}`"),
            DescribeProblem::NotInManifest { .. } => {
                write!(f, "`describe()` of `{module}` has the tool `{id}`, skill.toml does not")
            }
            DescribeProblem::HookNotInManifest => {
                write!(f, "`describe()` of `{module}` has the hook `{id}`, skill.toml does not")
            }
            DescribeProblem::NotDescribed => {
                write!(f, "skill.toml has `{id}`, `describe()` of `{module}` does not")
            }
            DescribeProblem::Field { field, manifest, described } => {
                let (ours, theirs) = first_difference(manifest, described);
                write!(
                    f,
                    "`{field}` of `{id}` is {ours} in skill.toml and {theirs} in `describe()` of `{module}`"
                )
            }
        }
    }
}

/// Returns both sides at the first difference, clipped and on one line.
fn first_difference(manifest: &Value, described: &Value) -> (String, String) {
    let pointer = pointer(manifest, described);
    let side = |value: &Value| match value.pointer(&pointer) {
        Some(value) => format!("`{}`", shown(&InOrder(value).to_string())),
        None => "nothing".to_owned(),
    };
    let place = if pointer.is_empty() { String::new() } else { format!(" at `{}`", shown(&pointer)) };
    (side(manifest) + &place, side(described))
}

/// Returns the JSON pointer of the first difference between two values.
fn pointer(one: &Value, other: &Value) -> String {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let differing = keys.into_iter().find(|key| a.get(*key) != b.get(*key));
            let Some(key) = differing else { return String::new() };
            let step = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
            match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => step + &pointer(a, b),
                _ => step,
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let differing = a.iter().zip(b).enumerate().find(|(_, (a, b))| a != b);
            differing.map_or_else(String::new, |(index, (a, b))| format!("/{index}{}", pointer(a, b)))
        }
        _ => String::new(),
    }
}

/// Clips and escapes text from a guest.
fn shown(text: &str) -> String {
    escape_untrusted(&clip_marked(text, 120))
}

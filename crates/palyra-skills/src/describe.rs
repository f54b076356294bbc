//! What a component says of itself, compared with the manifest that is signed with it.
//!
//! A difference keeps a skill from running: a model would be shown one thing and call another. Authors see both sides
//! when they build a package; a call quarantines the skill.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use palyra_common::InOrder;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_marked;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::manifest::SkillManifest;

/// The parsed answer of `describe()`; keys that no manifest has are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Description {
    /// The tools of the component.
    #[serde(default)]
    pub tools: Vec<DescribedTool>,
    /// Its hooks.
    #[serde(default)]
    pub hooks: Vec<DescribedHook>,
}

/// One tool; a field that is left out is not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedTool {
    /// Its id.
    pub id: String,
    /// What models read about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// JSON Schema of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedHook {
    /// Its id.
    pub id: String,
    /// The events it takes, in any order.
    #[serde(default)]
    pub events: Vec<String>,
}

/// One thing that component and manifest do not agree about, with both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribeDifference {
    /// The module, for example `modules/notes.wasm`.
    pub module: String,
    /// The tool or hook.
    pub id: String,
    /// The difference.
    #[serde(flatten)]
    pub what: DescribeProblem,
}

/// The difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum DescribeProblem {
    /// The component names it twice.
    Duplicate,
    /// The component has a tool that the manifest lacks.
    NotInManifest {
        /// As the component describes it.
        described: DescribedTool,
    },
    /// The component has a hook that the manifest lacks.
    HookNotInManifest,
    /// The manifest has it, and the component lacks it.
    NotDescribed,
    /// A field of a tool, or the events of a hook.
    Field {
        /// `description`, `input_schema`, `output_schema` or `events`.
        field: &'static str,
        /// The manifest.
        manifest: Value,
        /// What the component says.
        described: Value,
    },
}

impl Description {
    /// Parses the answer of a guest.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns everything that is not as the manifest says, for one module of it.
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

/// The order of events means nothing.
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
                write!(f, "`{field}` of `{id}`: skill.toml has {ours}, `describe()` of `{module}` {theirs}")
            }
        }
    }
}

/// Both sides at the first place where they differ, each short and on one line.
fn first_difference(manifest: &Value, described: &Value) -> (String, String) {
    let pointer = pointer(manifest, described);
    let side = |value: &Value| match value.pointer(&pointer) {
        Some(value) => format!("`{}`", shown(&InOrder(value).to_string())),
        None => "nothing".to_owned(),
    };
    let place = if pointer.is_empty() { String::new() } else { format!(" at `{}`", shown(&pointer)) };
    (side(manifest) + &place, side(described))
}

/// The JSON pointer of the first place where two values differ.
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

/// Text from a guest, short and on one line.
fn shown(text: &str) -> String {
    escape_untrusted(&clip_marked(text, 120))
}

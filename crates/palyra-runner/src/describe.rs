//! Does a component say of itself what its signed manifest says?
//!
//! `describe()` runs once for each payload, with nothing granted, before anything else of it runs. What differs
//! quarantines the skill: a model would be shown one thing and call another.

use std::collections::BTreeMap;

use palyra_skills::SkillManifest;
use serde::Deserialize;
use serde_json::Value;

/// What a component says of itself; only what the manifest says too is compared.
#[derive(Debug, Deserialize)]
pub(super) struct Description {
    #[serde(default)]
    tools: Vec<DescribedTool>,
    #[serde(default)]
    hooks: Vec<DescribedHook>,
}

#[derive(Debug, Deserialize)]
struct DescribedTool {
    id: String,
    description: Option<String>,
    input_schema: Option<Value>,
    output_schema: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct DescribedHook {
    id: String,
    #[serde(default)]
    events: Vec<String>,
}

impl Description {
    /// Reads the text of a guest.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("`describe()` is not a description: {error}"))
    }

    /// The first thing that is not as the manifest says, for one module of it.
    pub(super) fn compare(&self, manifest: &SkillManifest, module: &str) -> Result<(), String> {
        let declared = manifest.entrypoints.tools.iter().filter(|tool| tool.module == module);
        let declared: BTreeMap<&str, _> = declared.map(|tool| (tool.id.as_str(), tool)).collect();
        let described: BTreeMap<&str, _> = self.tools.iter().map(|tool| (tool.id.as_str(), tool)).collect();
        if described.len() != self.tools.len() {
            return Err(format!("`describe()` of `{module}` names one tool twice"));
        }
        same_names("tool", module, declared.keys().copied(), described.keys().copied())?;
        for (id, tool) in &described {
            let Some(signed) = declared.get(id) else { continue };
            let says = |field: &str, differs: bool| match differs {
                true => Err(format!("`describe()` of `{module}` has another `{field}` for tool `{id}`")),
                false => Ok(()),
            };
            says("description", tool.description.as_ref().is_some_and(|text| *text != signed.description))?;
            says(
                "input_schema",
                tool.input_schema.as_ref().is_some_and(|schema| *schema != signed.input_schema),
            )?;
            says(
                "output_schema",
                tool.output_schema.as_ref().is_some_and(|schema| *schema != signed.output_schema),
            )?;
        }
        self.compare_hooks(manifest, module)
    }

    fn compare_hooks(&self, manifest: &SkillManifest, module: &str) -> Result<(), String> {
        let declared = manifest.entrypoints.hooks.iter().filter(|hook| hook.module == module);
        let declared: BTreeMap<&str, _> = declared.map(|hook| (hook.id.as_str(), hook)).collect();
        same_names("hook", module, declared.keys().copied(), self.hooks.iter().map(|hook| hook.id.as_str()))?;
        for hook in &self.hooks {
            let sorted = |events: &[String]| {
                let mut events = events.to_vec();
                events.sort();
                events
            };
            if declared
                .get(hook.id.as_str())
                .is_some_and(|signed| sorted(&signed.events) != sorted(&hook.events))
            {
                return Err(format!(
                    "`describe()` of `{module}` has other events for hook `{}`",
                    shown(&hook.id)
                ));
            }
        }
        Ok(())
    }
}

fn same_names<'a>(
    kind: &str,
    module: &str,
    declared: impl Iterator<Item = &'a str>,
    described: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let declared: std::collections::BTreeSet<&str> = declared.collect();
    let described: std::collections::BTreeSet<&str> = described.collect();
    if let Some(extra) = described.difference(&declared).next() {
        let extra = shown(extra);
        return Err(format!(
            "`describe()` of `{module}` names {kind} `{extra}`, the signed manifest does not"
        ));
    }
    match declared.difference(&described).next() {
        Some(missing) => {
            Err(format!("`describe()` of `{module}` does not name {kind} `{missing}` of the signed manifest"))
        }
        None => Ok(()),
    }
}

/// Names from a guest, short and on one line.
fn shown(name: &str) -> String {
    palyra_common::redact::escape_untrusted(&name.chars().take(80).collect::<String>())
}

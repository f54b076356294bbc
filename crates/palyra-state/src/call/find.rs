//! From a name to a tool of an installed skill.

use palyra_common::WasmPluginRunError;
use palyra_skills::RuntimeStatus;
use palyra_skills::index::{InstalledRelease, SkillRecord};
use palyra_skills::manifest::{ToolEntrypoint, model_name};

use super::ToolInvocation;
use crate::view::View;

/// A tool, its skill, and the state of that skill now.
pub(super) struct FoundTool {
    pub(super) record: SkillRecord,
    pub(super) entrypoint: ToolEntrypoint,
}

impl FoundTool {
    /// The release that answers calls.
    pub(super) fn release(&self) -> &InstalledRelease {
        &self.record.current
    }
}

/// The tool of this id, name for models or alias; never one of another skill than the caller says.
pub(super) fn find_tool(view: &View, invocation: &ToolInvocation) -> Result<FoundTool, WasmPluginRunError> {
    let name = invocation.tool.as_str();
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let record = match &invocation.skill_id {
        Some(skill_id) => view.index().get(skill_id),
        None => view.skill_of_tool(id),
    };
    let of_record = |record: &SkillRecord| {
        record.current.tools().find(|tool| tool.id == id || model_name(&tool.id) == id).cloned()
    };
    let found = record.and_then(|record| Some((record, of_record(record)?)));
    let (record, tool) = found.ok_or_else(|| unknown(view, name))?;
    Ok(FoundTool { entrypoint: tool, record: record.clone() })
}

fn unknown(view: &View, name: &str) -> WasmPluginRunError {
    let tools = view.index().iter().flat_map(|record| record.current.tools());
    let mut known: Vec<String> = tools.map(|tool| tool.id.clone()).collect();
    known.sort_by_key(|other| std::cmp::Reverse(common_prefix(other, name)));
    known.truncate(8);
    let name = palyra_common::redact::escape_untrusted(&name.chars().take(80).collect::<String>());
    WasmPluginRunError::NotFound { what: "tool", name, known }
}

/// Whether the skill may run now, on this machine.
pub(crate) fn check_runnable(
    record: &SkillRecord,
    platform: &palyra_skills::Platform,
) -> Result<(), WasmPluginRunError> {
    let (status, eligibility) = record.standing(platform);
    let id = &record.skill_id;
    let quarantine = record.current.quarantine.as_ref();
    let (reason, remedy) = match status {
        RuntimeStatus::Active => return Ok(()),
        RuntimeStatus::Quarantined => (
            format!(
                "it is quarantined: {}",
                quarantine.map_or("its publisher is not believed", |kept| kept.reason.as_str())
            ),
            format!("see `palyra skills info {id}`"),
        ),
        RuntimeStatus::AwaitingConsent => {
            ("nobody agreed yet to what it asks for".into(), format!("palyra skills consent {id}"))
        }
        RuntimeStatus::Disabled => ("it is switched off".into(), format!("palyra skills enable {id}")),
        RuntimeStatus::Error => (eligibility.missing.join("; "), "run it on a machine it fits".into()),
    };
    Err(WasmPluginRunError::NotRunnable { name: id.clone(), reason, remedy })
}

fn common_prefix(left: &str, right: &str) -> usize {
    left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count()
}

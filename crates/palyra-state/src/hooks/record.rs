//! One binding: an event, the hook of a plugin that receives it, its order, limits and filters.

use palyra_common::RuntimeLimits;
use serde::{Deserialize, Serialize};

use super::{BindingProblem, HookEventKind};

/// Maximum length of a binding id in bytes.
const MAX_ID: usize = 60;
/// Maximum number of names in a filter.
const MAX_FILTER: usize = 64;
/// Maximum length of a name in a filter, in bytes.
const MAX_NAME: usize = 100;
/// Default timeout of a gate in milliseconds; short, because a call waits for it.
const GATE_TIMEOUT_MS: u64 = 2_000;
/// Default timeout of an observer in milliseconds.
const OBSERVER_TIMEOUT_MS: u64 = 10_000;
const MAX_TIMEOUT_MS: u64 = 600_000;
/// Default number of delivery attempts before an event becomes a dead letter.
const ATTEMPTS: u32 = 5;
const MAX_ATTEMPTS: u32 = 100;

/// One binding, in the format of `hooks/bindings.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookBindingRecord {
    /// Unique id matching `[a-z0-9_-]+`, at most 60 bytes.
    pub id: String,
    /// Event that triggers the hook.
    pub event: HookEventKind,
    /// Id of the skill that provides the hook.
    pub plugin: String,
    /// Id of the hook entrypoint, from the manifest of the skill.
    pub hook: String,
    /// False to keep the binding without delivering events to it.
    #[serde(default = "on")]
    pub enabled: bool,
    /// Gates run in ascending order, ties by id [default: 100].
    #[serde(default = "usual_order")]
    pub order: u32,
    /// Timeout of one run in milliseconds, 1 to 600000 [default: 2000 for gates, 10000 for observers].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Fuel limit of one run, at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// Maximum number of delivery attempts per event, 1 to 100 [default: 5].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Deliver only events about these skills; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Deliver only events about these tools, or about all tools below a pattern such as `acme.notes.*`;
    /// empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

fn on() -> bool {
    true
}

fn usual_order() -> u32 {
    100
}

impl HookBindingRecord {
    /// Returns an enabled binding with default order and limits and without filters.
    pub fn new(
        id: impl Into<String>,
        event: HookEventKind,
        plugin: impl Into<String>,
        hook: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            event,
            plugin: plugin.into(),
            hook: hook.into(),
            enabled: true,
            order: usual_order(),
            timeout_ms: None,
            fuel: None,
            max_attempts: None,
            skills: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// Checks every field on its own, without looking at the installed skills.
    pub(super) fn check(&self) -> Result<(), BindingProblem> {
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
        let wrong = |field: &'static str, reason: &str| Err(BindingProblem::new(field, reason));
        if !(1..=MAX_ID).contains(&self.id.len()) || !self.id.bytes().all(plain) {
            return wrong("id", "it must match `[a-z0-9_-]+`, at most 60 bytes");
        }
        let names = self.skills.iter().chain(&self.tools).chain([&self.plugin, &self.hook]);
        for name in names {
            if !(1..=MAX_NAME).contains(&name.len()) || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
                return wrong("plugin", "names have up to 100 printable ASCII characters without spaces");
            }
        }
        if self.skills.len() > MAX_FILTER || self.tools.len() > MAX_FILTER {
            return wrong("tools", "a filter can have at most 64 names");
        }
        if !self.tools.is_empty() && !self.event.has_tool() {
            return wrong("tools", "this event is not about a tool");
        }
        if !self.skills.is_empty() && !self.event.has_skill() {
            return wrong("skills", "this event is not about a skill");
        }
        if !(1..=MAX_TIMEOUT_MS).contains(&self.timeout_ms()) {
            return wrong("timeout_ms", "it must be 1 to 600000");
        }
        if self.fuel == Some(0) {
            return wrong("fuel", "it must be at least 1");
        }
        if (1..=MAX_ATTEMPTS).contains(&self.max_attempts()) {
            Ok(())
        } else {
            wrong("max_attempts", "it must be 1 to 100")
        }
    }

    /// Returns the timeout of one run in milliseconds.
    pub fn timeout_ms(&self) -> u64 {
        let usual = if self.event.is_gate() { GATE_TIMEOUT_MS } else { OBSERVER_TIMEOUT_MS };
        self.timeout_ms.unwrap_or(usual)
    }

    /// Returns the maximum number of delivery attempts per event.
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts.unwrap_or(ATTEMPTS)
    }

    /// Returns whether the filters match an event about this skill and tool.
    pub fn wants(&self, skill: Option<&str>, tool: Option<&str>) -> bool {
        let named = |tool: &str| self.tools.iter().any(|pattern| covers(pattern, tool));
        (self.skills.is_empty() || skill.is_some_and(|skill| self.skills.iter().any(|name| name == skill)))
            && (self.tools.is_empty() || tool.is_some_and(named))
    }

    /// Returns the limits of its runs; the limits of manifest, profile and policy apply as well.
    pub fn limits(&self) -> RuntimeLimits {
        let open = RuntimeLimits::unbounded();
        RuntimeLimits {
            fuel_budget: self.fuel.unwrap_or(open.fuel_budget),
            wall_clock_timeout_ms: self.timeout_ms(),
            ..open
        }
    }
}

/// Matches a tool id exactly, or by prefix if the pattern ends with `*`.
fn covers(pattern: &str, tool: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => tool.starts_with(start),
        None => pattern == tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(tools: &[&str]) -> HookBindingRecord {
        let tools = tools.iter().map(|&tool| tool.to_owned()).collect();
        HookBindingRecord {
            tools,
            ..HookBindingRecord::new("g", HookEventKind::RunBeforeTool, "acme.gate", "acme.gate.on")
        }
    }

    #[test]
    fn filters_name_tools_or_all_below_a_name() {
        let skill = Some("acme.notes");
        assert!(gate(&[]).wants(None, None));
        assert!(gate(&["acme.notes.add"]).wants(skill, Some("acme.notes.add")));
        assert!(!gate(&["acme.notes.add"]).wants(skill, Some("acme.notes.added")));
        assert!(gate(&["acme.notes.*"]).wants(skill, Some("acme.notes.add")));
        assert!(!gate(&["acme.notes.*"]).wants(skill, None));
        let of_skill = HookBindingRecord { skills: vec!["acme.mail".into()], ..gate(&[]) };
        assert!(!of_skill.wants(skill, Some("acme.notes.add")) && of_skill.wants(Some("acme.mail"), None));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let field = |binding: HookBindingRecord| binding.check().err().map(|problem| problem.field);
        assert_eq!(field(gate(&[])), None);
        assert_eq!(field(HookBindingRecord { id: "A b".into(), ..gate(&[]) }), Some("id"));
        assert_eq!(field(HookBindingRecord { timeout_ms: Some(0), ..gate(&[]) }), Some("timeout_ms"));
        assert_eq!(field(HookBindingRecord { max_attempts: Some(0), ..gate(&[]) }), Some("max_attempts"));
        assert_eq!(
            field(HookBindingRecord { event: HookEventKind::GatewayStartup, ..gate(&["a.b"]) }),
            Some("tools")
        );
    }
}

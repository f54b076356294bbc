//! The closed list of events a hook can be bound to.

use std::fmt;
use std::str::FromStr;

use palyra_journal::EventKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! hook_events {
    ($($(#[$doc:meta])+ $name:ident = $wire:literal,)+) => {
        /// An event a hook can be bound to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum HookEventKind { $($(#[$doc])+ $name,)+ }

        impl HookEventKind {
            /// Every event, in the order of the documentation.
            pub const ALL: [Self; 14] = [$(Self::$name,)+];

            /// Returns the name in manifests, bindings and payloads.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire,)+ }
            }
        }
    };
}

hook_events! {
    /// A daemon started serving.
    GatewayStartup = "gateway:startup",
    /// A daemon shut down.
    GatewayShutdown = "gateway:shutdown",
    /// A skill was installed.
    SkillInstalled = "skill:installed",
    /// A skill was enabled.
    SkillEnabled = "skill:enabled",
    /// A skill was quarantined until an operator enables it.
    SkillQuarantined = "skill:quarantined",
    /// A skill was disabled.
    SkillDisabled = "skill:disabled",
    /// A skill was removed.
    SkillRemoved = "skill:removed",
    /// A tool is about to run. Hooks of this event are gates; all others are observers.
    RunBeforeTool = "run:before_tool",
    /// A tool ran, with any outcome.
    RunAfterTool = "run:after_tool",
    /// A run returned a result.
    RunCompleted = "run:completed",
    /// A run ended without a result.
    RunFailed = "run:failed",
    /// A call requires the approval of a person.
    ApprovalRequested = "approval:requested",
    /// A request was approved or denied, or expired.
    ApprovalDecided = "approval:decided",
    /// A routine fired.
    RoutineFired = "routine:fired",
}

/// Error of parsing an unknown event name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown event `{name}`")]
pub struct UnknownEvent {
    /// The name, escaped and shortened.
    pub name: String,
}

impl HookEventKind {
    /// Returns whether its hooks run before the action and can deny it.
    pub const fn is_gate(self) -> bool {
        matches!(self, Self::RunBeforeTool)
    }

    /// Returns whether the event concerns a tool, so that a binding can filter by tool.
    pub const fn has_tool(self) -> bool {
        matches!(
            self,
            Self::RunBeforeTool
                | Self::RunAfterTool
                | Self::RunCompleted
                | Self::RunFailed
                | Self::ApprovalRequested
                | Self::ApprovalDecided
        )
    }

    /// Returns whether the event concerns a skill, so that a binding can filter by skill.
    pub const fn has_skill(self) -> bool {
        !matches!(self, Self::GatewayStartup | Self::GatewayShutdown | Self::RoutineFired)
    }

    /// Returns the kinds of leaves that trigger the event; a gate has none, because the action has not happened yet.
    pub const fn journalled_as(self) -> &'static [EventKind] {
        match self {
            Self::GatewayStartup => &[EventKind::GatewayStartup],
            Self::GatewayShutdown => &[EventKind::GatewayShutdown],
            Self::SkillInstalled => &[EventKind::SkillInstalled],
            Self::SkillEnabled => &[EventKind::SkillEnabled],
            Self::SkillQuarantined => &[EventKind::SkillQuarantined],
            Self::SkillDisabled => &[EventKind::SkillDisabled],
            Self::SkillRemoved => &[EventKind::SkillRemoved],
            Self::RunBeforeTool => &[],
            Self::RunAfterTool => &[EventKind::RunCompleted, EventKind::RunFailed],
            Self::RunCompleted => &[EventKind::RunCompleted],
            Self::RunFailed => &[EventKind::RunFailed],
            Self::ApprovalRequested => &[EventKind::ApprovalRequested],
            Self::ApprovalDecided => &[EventKind::ApprovalDecided],
            Self::RoutineFired => &[EventKind::RoutineFired],
        }
    }
}

impl FromStr for HookEventKind {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| UnknownEvent { name: crate::text::short_name(text) })
    }
}

impl fmt::Display for HookEventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for HookEventKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for HookEventKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_can_name_exactly_these() {
        let names: Vec<&str> = HookEventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names, palyra_skills::manifest::HOOK_EVENTS);
    }

    #[test]
    fn every_event_but_the_gate_is_journalled() {
        for kind in HookEventKind::ALL {
            assert_eq!(kind.journalled_as().is_empty(), kind.is_gate(), "{kind}");
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("run:teleported".parse::<HookEventKind>().is_err());
    }
}

//! The closed list of what can happen.

use super::EventError;
use std::fmt;
use std::str::FromStr;

macro_rules! event_kinds {
    ($($(#[$doc:meta])+ $name:ident = $wire:literal,)+) => {
        /// What happened; the names on the wire never change their meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventKind { $($(#[$doc])+ $name,)+ }

        impl EventKind {
            /// Every kind this version knows.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire,)+ }
            }
        }

        impl FromStr for EventKind {
            type Err = EventError;

            fn from_str(text: &str) -> Result<Self, EventError> {
                match text {
                    $($wire => Ok(Self::$name),)+
                    _ => Err(EventError::UnknownKind { kind: text.chars().take(100).collect() }),
                }
            }
        }
    };
}

event_kinds! {
    /// A skill was installed.
    SkillInstalled = "skill:installed",
    /// An artifact was refused.
    SkillRefused = "skill:refused",
    /// A skill was replaced by another version.
    SkillUpdated = "skill:updated",
    /// A release is stored and waits for a person to agree.
    SkillAwaitingConsent = "skill:awaiting_consent",
    /// A skill can no longer run until an operator acts.
    SkillQuarantined = "skill:quarantined",
    /// An operator let a skill run.
    SkillEnabled = "skill:enabled",
    /// An operator stopped a skill.
    SkillDisabled = "skill:disabled",
    /// A skill was removed.
    SkillRemoved = "skill:removed",
    /// An operator agreed to what a skill may touch.
    SkillConsented = "skill:consented",
    /// An operator went back to an earlier version.
    SkillRolledBack = "skill:rolled_back",
    /// Installed bytes were checked against the index.
    SkillVerified = "skill:verified",
    /// Installed bytes were audited again.
    SkillAudited = "skill:audited",
    /// A publisher was put on the allowlist.
    TrustAllowed = "trust:allowed",
    /// A publisher was blocked.
    TrustBlocked = "trust:blocked",
    /// A publisher is no longer blocked.
    TrustUnblocked = "trust:unblocked",
    /// A publisher's key was pinned on first use.
    TrustPinned = "trust:pinned",
    /// An operator replaced a pin.
    TrustRepinned = "trust:repinned",
    /// A publisher's keys followed a signed rotation.
    TrustRotated = "trust:rotated",
    /// A key or a release was revoked.
    TrustRevoked = "trust:revoked",
    /// A signed feed was applied.
    TrustFeedApplied = "trust:feed_applied",
    /// An artifact came with a key other than the pinned one.
    TrustMismatch = "trust:mismatch",
    /// Two rotations for one epoch were seen.
    TrustEquivocation = "trust:equivocation",
    /// A run began.
    RunStarted = "run:started",
    /// A run gave a result: its receipt.
    RunCompleted = "run:completed",
    /// A run ended without one: its receipt.
    RunFailed = "run:failed",
    /// A run was refused before it began.
    RunRefused = "run:refused",
    /// A call waits for a person to decide.
    ApprovalRequested = "approval:requested",
    /// A person decided about a call, or the time to decide ran out.
    ApprovalDecided = "approval:decided",
    /// An operator changed what a skill gets at most.
    PluginProfileChanged = "plugin:profile_changed",
    /// An operator changed the settings of a skill.
    PluginConfigChanged = "plugin:config_changed",
    /// A daemon began to serve.
    GatewayStartup = "gateway:startup",
    /// A daemon stops.
    GatewayShutdown = "gateway:shutdown",
    /// A routine began.
    RoutineFired = "routine:fired",
    /// An operator changed which hooks are bound.
    HooksChanged = "hooks:changed",
    /// An event was given up that a hook could not take.
    HookDeadLettered = "hook:dead_lettered",
    /// An event that was given up was dropped, or taken after all.
    HookLetterDropped = "hook:letter_dropped",
    /// An operator changed the channels.
    ChannelsChanged = "channels:changed",
    /// A message reached where its channel leads.
    ChannelDelivered = "channel:delivered",
    /// A message was given up.
    ChannelDeadLettered = "channel:dead_lettered",
    /// A message that was given up was dropped.
    ChannelLetterDropped = "channel:letter_dropped",
    /// An operator changed the models.
    ModelsChanged = "models:changed",
    /// The state root was created.
    StateInitialised = "state:initialised",
    /// An operator accepted a difference that kept the state closed.
    StateRepaired = "state:repaired",
    /// The state was backed up.
    StateBackedUp = "state:backed_up",
    /// The state was restored from a copy.
    StateRestored = "state:restored",
    /// A compiled module on disk was not what it should be and was made again.
    StateCacheDiscarded = "state:cache_discarded",
    /// A secret was stored.
    VaultPut = "vault:put",
    /// A secret was removed.
    VaultRemoved = "vault:removed",
    /// A signing key was made.
    KeysCreated = "keys:created",
    /// A signing key was taken in from a file.
    KeysImported = "keys:imported",
    /// A signing key was written out to a file.
    KeysExported = "keys:exported",
    /// A signing key signed a release.
    KeysSigned = "keys:signed",
    /// A signing key was removed.
    KeysRemoved = "keys:removed",
    /// A signing key named its successor and signs no more.
    KeysRotated = "keys:rotated",
    /// A signing key was revoked.
    KeysRevoked = "keys:revoked",
    /// A token was made.
    TokenAdded = "token:added",
    /// A token was removed: it is worth nothing any more.
    TokenRemoved = "token:removed",
    /// A request was denied.
    AccessRefused = "access:refused",
    /// A browser signed in to the console.
    ConsoleSignedIn = "console:signed_in",
    /// A console session ended by signing out, by a revocation, or for a newer one.
    ConsoleSessionEnded = "console:session_ended",
    /// The policy that audits follow was changed.
    PolicyChanged = "policy:changed",
    /// A routine was added, changed or removed.
    RoutineChanged = "routine:changed",
    /// An objective was added, changed, used up or removed.
    ObjectiveChanged = "objective:changed",
    /// A session with the agent was created.
    SessionCreated = "session:created",
    /// A session was renamed, archived, or got other settings; a person cleared its labels.
    SessionChanged = "session:changed",
    /// A session was removed with everything in it.
    SessionRemoved = "session:removed",
    /// An agent run began.
    AgentStarted = "agent:started",
    /// An agent run waits for a person.
    AgentPaused = "agent:paused",
    /// A person answered what an agent run waited for, or their time ran out.
    AgentResumed = "agent:resumed",
    /// An agent run ended.
    AgentFinished = "agent:finished",
    /// A person submitted a form of a surface.
    SurfaceSubmitted = "surface:submitted",
    /// Old events were moved to a segment file.
    JournalArchived = "journal:archived",
    /// Events were taken back from a segment file.
    JournalImported = "journal:imported",
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for EventKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own_that_reads_back() {
        let mut names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        for kind in EventKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EventKind::ALL.len());
    }

    #[test]
    fn an_unknown_kind_is_named() {
        let error = "skill:teleported".parse::<EventKind>().unwrap_err();
        assert_eq!(error.to_string(), "unknown event kind `skill:teleported`");
    }
}

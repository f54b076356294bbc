//! The closed list of event kinds.

use super::EventError;
use std::fmt;
use std::str::FromStr;

macro_rules! event_kinds {
    ($($(#[$doc:meta])+ $name:ident = $wire:literal,)+) => {
        /// The kind of an event. Names on the wire never change their meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventKind { $($(#[$doc])+ $name,)+ }

        impl EventKind {
            /// Every kind that this version knows.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the name on the wire.
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
    /// An artifact was rejected.
    SkillRefused = "skill:refused",
    /// A skill was replaced by another version.
    SkillUpdated = "skill:updated",
    /// A release was stored and needs consent.
    SkillAwaitingConsent = "skill:awaiting_consent",
    /// A skill cannot run until an operator acts.
    SkillQuarantined = "skill:quarantined",
    /// An operator enabled a skill.
    SkillEnabled = "skill:enabled",
    /// An operator disabled a skill.
    SkillDisabled = "skill:disabled",
    /// A skill was removed.
    SkillRemoved = "skill:removed",
    /// A person consented to the permissions of a skill.
    SkillConsented = "skill:consented",
    /// An operator rolled a skill back to an earlier version.
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
    /// An artifact was signed with another key than the pinned one.
    TrustMismatch = "trust:mismatch",
    /// Two different rotations from one epoch were found.
    TrustEquivocation = "trust:equivocation",
    /// A run started.
    RunStarted = "run:started",
    /// A run returned a result; the event contains its receipt.
    RunCompleted = "run:completed",
    /// A run ended without a result; the event contains its receipt.
    RunFailed = "run:failed",
    /// A run was rejected before it started.
    RunRefused = "run:refused",
    /// A call waits for approval.
    ApprovalRequested = "approval:requested",
    /// A call was approved or denied, or its approval expired.
    ApprovalDecided = "approval:decided",
    /// An operator changed the capability profile of a skill.
    PluginProfileChanged = "plugin:profile_changed",
    /// An operator changed the settings of a skill.
    PluginConfigChanged = "plugin:config_changed",
    /// A daemon started.
    GatewayStartup = "gateway:startup",
    /// A daemon stopped.
    GatewayShutdown = "gateway:shutdown",
    /// A routine started a call.
    RoutineFired = "routine:fired",
    /// An operator changed hook bindings.
    HooksChanged = "hooks:changed",
    /// An event became a dead letter, because a hook did not accept it.
    HookDeadLettered = "hook:dead_lettered",
    /// A dead letter of a hook was dropped, or delivered after all.
    HookLetterDropped = "hook:letter_dropped",
    /// An operator changed the channels.
    ChannelsChanged = "channels:changed",
    /// A message was delivered to the target of its channel.
    ChannelDelivered = "channel:delivered",
    /// A message became a dead letter.
    ChannelDeadLettered = "channel:dead_lettered",
    /// A dead letter of a channel was dropped.
    ChannelLetterDropped = "channel:letter_dropped",
    /// An operator changed the models.
    ModelsChanged = "models:changed",
    /// The state root was created.
    StateInitialised = "state:initialised",
    /// An operator accepted a difference that prevented the state from opening.
    StateRepaired = "state:repaired",
    /// The state was backed up.
    StateBackedUp = "state:backed_up",
    /// The state was restored from a backup.
    StateRestored = "state:restored",
    /// A compiled module on disk was invalid and was compiled again.
    StateCacheDiscarded = "state:cache_discarded",
    /// A secret was stored.
    VaultPut = "vault:put",
    /// A secret was removed.
    VaultRemoved = "vault:removed",
    /// A signing key was created.
    KeysCreated = "keys:created",
    /// A signing key was imported from a file.
    KeysImported = "keys:imported",
    /// A signing key was exported to a file.
    KeysExported = "keys:exported",
    /// A signing key signed a release.
    KeysSigned = "keys:signed",
    /// A signing key was removed.
    KeysRemoved = "keys:removed",
    /// A signing key was retired in favor of its successor.
    KeysRotated = "keys:rotated",
    /// A signing key was revoked.
    KeysRevoked = "keys:revoked",
    /// A token was created.
    TokenAdded = "token:added",
    /// A token was removed and is no longer valid.
    TokenRemoved = "token:removed",
    /// A request was denied.
    AccessRefused = "access:refused",
    /// A browser signed in to the console.
    ConsoleSignedIn = "console:signed_in",
    /// A console session ended by signing out, by revocation, or because a newer one replaced it.
    ConsoleSessionEnded = "console:session_ended",
    /// The audit policy or the access policy was changed.
    PolicyChanged = "policy:changed",
    /// A routine was added, changed or removed.
    RoutineChanged = "routine:changed",
    /// An objective was added, changed, used up or removed.
    ObjectiveChanged = "objective:changed",
    /// A session with the agent was created.
    SessionCreated = "session:created",
    /// A session was renamed or archived, its settings changed, or its labels cleared.
    SessionChanged = "session:changed",
    /// A session was removed with its contents.
    SessionRemoved = "session:removed",
    /// An agent run started.
    AgentStarted = "agent:started",
    /// An agent run waits for a person.
    AgentPaused = "agent:paused",
    /// An agent run continued after a person answered, or after the answer expired.
    AgentResumed = "agent:resumed",
    /// An agent run ended.
    AgentFinished = "agent:finished",
    /// A person submitted a form of a surface.
    SurfaceSubmitted = "surface:submitted",
    /// Old events were moved to a segment file.
    JournalArchived = "journal:archived",
    /// Events were imported from a segment file.
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

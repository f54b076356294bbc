//! The closed lists of words a rule can use; each is an enumeration of the schema.

use serde::{Deserialize, Serialize};
use std::fmt;

pub use palyra_common::{PrincipalKind, Transport as Face};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident in $entity:literal { $($(#[$word_doc:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$word_doc])* #[serde(rename = $text)] $word,)*
        }

        impl $name {
            /// Every word, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$word),*];
            /// The entity type of the schema that has these words.
            pub const ENTITY: &'static str = $entity;

            /// The word in rules, tokens and JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// Trust state of a skill.
    TrustState in "Trust" {
        /// Stored, and nothing more.
        Quarantine = "quarantine",
        /// Its publisher was pinned at first contact.
        Tofu = "tofu",
        /// Its publisher is allowlisted.
        Trusted = "trusted",
        /// It came with the program.
        BuiltIn = "built-in",
        /// Withdrawn for good.
        Revoked = "revoked",
    }
}

words! {
    /// The request.
    Action in "Action" {
        /// Look at anything that is not a secret.
        Read = "read",
        /// Call a tool, or run a module that came with the call.
        Invoke = "invoke",
        /// Decide whether a waiting call may run.
        Approve = "approve",
        /// Cancel, replay, verify, audit, quarantine, switch off, change a plugin's settings, seal a checkpoint.
        Operate = "operate",
        /// Install, update, go back to or remove a release.
        Install = "install",
        /// Enable a release, consent to what it asks for, accept a finding, lift a quarantine.
        Promote = "promote",
        /// Change what a plugin may touch: profiles, mapped directories, addresses.
        Grant = "grant",
        /// Manage trusted publishers, or repair the state.
        Trust = "trust",
        /// Put or delete a secret or a signing key.
        Vault = "vault",
        /// Tokens, policies, stopping the daemon.
        Admin = "admin",
    }
}

words! {
    /// Resource of an action.
    ResourceKind in "" {
        /// A tool of an installed skill.
        Tool = "Tool",
        /// A skill.
        Skill = "Skill",
        /// A publisher.
        Publisher = "Publisher",
        /// The daemon itself, and everything that is none of the others.
        Daemon = "Daemon",
    }
}

impl Action {
    /// The kinds of resources the action can be about, as the schema says.
    pub const fn resources(self) -> &'static [ResourceKind] {
        use ResourceKind::{Daemon, Publisher, Skill, Tool};
        match self {
            Self::Read => &[Tool, Skill, Publisher, Daemon],
            Self::Invoke => &[Tool, Daemon],
            Self::Approve => &[Tool],
            Self::Operate => &[Tool, Skill, Daemon],
            Self::Install => &[Skill, Daemon],
            Self::Promote => &[Skill],
            Self::Grant => &[Skill, Daemon],
            Self::Trust => &[Publisher, Daemon],
            Self::Vault | Self::Admin => &[Daemon],
        }
    }
}

impl ResourceKind {
    /// In a sentence.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::Skill => "a skill",
            Self::Publisher => "a publisher",
            Self::Daemon => "the daemon",
        }
    }
}

//! The closed vocabularies of rules; each is an enumeration of the schema.

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
            /// Every value, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$word),*];
            /// The entity type of the schema for these values.
            pub const ENTITY: &'static str = $entity;

            /// Returns the name in rules, tokens and JSON.
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
    /// The trust state of a skill.
    TrustState in "Trust" {
        /// Stored, but not trusted.
        Quarantine = "quarantine",
        /// The publisher's keys were pinned at the first installation.
        Tofu = "tofu",
        /// The publisher is allowlisted.
        Trusted = "trusted",
        /// The skill is part of the program.
        BuiltIn = "built-in",
        /// The payload or its keys are revoked, permanently.
        Revoked = "revoked",
    }
}

words! {
    /// The action that a caller requests.
    Action in "Action" {
        /// Read anything except secrets.
        Read = "read",
        /// Call a tool, or run a module that is part of the request.
        Invoke = "invoke",
        /// Approve or deny a waiting call.
        Approve = "approve",
        /// Cancel, replay, verify, audit, quarantine, disable, configure a plugin, seal a checkpoint.
        Operate = "operate",
        /// Install, update, roll back or remove a release.
        Install = "install",
        /// Enable a release, consent to its permissions, accept a finding, lift a quarantine.
        Promote = "promote",
        /// Change the grants of a plugin: profiles, mapped directories, addresses.
        Grant = "grant",
        /// Manage trusted publishers, or repair the state.
        Trust = "trust",
        /// Put or delete a secret or a signing key.
        Vault = "vault",
        /// Manage tokens and policies, or stop the daemon.
        Admin = "admin",
    }
}

words! {
    /// The kind of resource that an action applies to.
    ResourceKind in "" {
        /// A tool of an installed skill.
        Tool = "Tool",
        /// An installed skill, or one that is about to be installed.
        Skill = "Skill",
        /// A publisher in the trust store.
        Publisher = "Publisher",
        /// The daemon itself, for everything that has no resource of another kind.
        Daemon = "Daemon",
    }
}

impl Action {
    /// Returns the kinds of resources that the action applies to, as in the schema.
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
    /// Returns the name in a sentence, with an article.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::Skill => "a skill",
            Self::Publisher => "a publisher",
            Self::Daemon => "the daemon",
        }
    }
}

//! What is asked: who, what, on what, and how it came.

use crate::vocabulary::{Action, Face, PrincipalKind, ResourceKind, TrustState};
use palyra_common::{InformationLabels, Scope};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One question to a policy.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRequest {
    /// The caller.
    pub principal: Principal,
    /// For what.
    pub action: Action,
    /// On what.
    pub resource: Resource,
    /// How it came.
    pub context: PolicyContext,
}

/// A caller whose identity was proven before.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Principal {
    /// Its id, unique among those of its kind.
    pub id: String,
    /// Its kind.
    pub kind: PrincipalKind,
    /// What it was given; only what is here can be permitted by the default policy.
    pub scopes: BTreeSet<Scope>,
}

/// Resource of an action.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Resource {
    /// A tool of an installed skill.
    Tool(Tool),
    /// A skill.
    Skill(Skill),
    /// A publisher, by name.
    Publisher(String),
    /// The daemon itself.
    Daemon,
}

/// A tool of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its id.
    pub id: String,
    /// Its skill.
    pub skill: String,
    /// The skill's publisher.
    pub publisher: String,
    /// Trust state of the skill.
    pub trust: TrustState,
    /// Whether its results are sensitive unless said otherwise.
    pub sensitive: bool,
    /// Whether a person must approve each call.
    pub requires_approval: bool,
}

/// A skill, installed or about to be.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// Its id.
    pub id: String,
    /// Owner.
    pub publisher: String,
    /// Which release of it: the one that comes in, else the one that runs.
    pub version: String,
    /// Trust state.
    pub trust: TrustState,
}

/// How a request came; what an action has no use for is not shown to rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyContext {
    /// The transport.
    pub face: Face,
    /// For `invoke`: the SHA-256 of the canonical arguments, in hexadecimal.
    #[serde(default)]
    pub arguments: String,
    /// For `invoke`: what the session of the call has read.
    #[serde(default)]
    pub labels: InformationLabels,
    /// For `invoke`: the grants of the call let it change something outside the state root.
    #[serde(default)]
    pub writes_outside: bool,
    /// For `invoke`: a person approves the call.
    #[serde(default)]
    pub approved: bool,
    /// For `approve`: the requester of the call; an unknown requester counts as the decider.
    #[serde(default)]
    pub requester: Option<Principal>,
    /// For `approve`: a person answered a question their MCP client showed them.
    #[serde(default)]
    pub elicited: bool,
}

impl PolicyContext {
    /// A request over this transport, without further context.
    pub const fn new(face: Face) -> Self {
        Self {
            face,
            arguments: String::new(),
            labels: InformationLabels::NONE,
            writes_outside: false,
            approved: false,
            requester: None,
            elicited: false,
        }
    }
}

impl PolicyRequest {
    /// The requester, compared with the principal that decides.
    pub(crate) fn requester(&self) -> &Principal {
        self.context.requester.as_ref().unwrap_or(&self.principal)
    }
}

impl Principal {
    /// A caller with scopes.
    pub fn new(kind: PrincipalKind, id: impl Into<String>, scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self { id: id.into(), kind, scopes: scopes.into_iter().collect() }
    }

    /// The owner, who has every scope.
    pub fn owner(id: impl Into<String>) -> Self {
        Self::new(PrincipalKind::Owner, id, Scope::ALL)
    }
}

impl Resource {
    /// Its kind.
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::Tool(_) => ResourceKind::Tool,
            Self::Skill(_) => ResourceKind::Skill,
            Self::Publisher(_) => ResourceKind::Publisher,
            Self::Daemon => ResourceKind::Daemon,
        }
    }
}

//! The request to a policy: principal, action, resource and context.

use crate::vocabulary::{Action, Face, PrincipalKind, ResourceKind, TrustState};
use palyra_common::{InformationLabels, Scope};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A request that a policy decides.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRequest {
    /// The authenticated caller.
    pub principal: Principal,
    /// The action that the caller requests.
    pub action: Action,
    /// The resource that the action applies to.
    pub resource: Resource,
    /// The transport and further facts about the request.
    pub context: PolicyContext,
}

/// A caller that was authenticated before.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Principal {
    /// The id, unique among principals of the same kind.
    pub id: String,
    /// The kind of principal.
    pub kind: PrincipalKind,
    /// The scopes of the principal. The default policy permits nothing beyond them.
    pub scopes: BTreeSet<Scope>,
}

/// The resource that an action applies to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Resource {
    /// A tool of an installed skill.
    Tool(Tool),
    /// An installed skill, or one that is about to be installed.
    Skill(Skill),
    /// A publisher, by name.
    Publisher(String),
    /// The daemon itself, for actions without a more specific resource.
    Daemon,
}

/// A tool of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The tool id, unique among installed tools.
    pub id: String,
    /// The id of the skill that contains the tool.
    pub skill: String,
    /// The publisher of the skill.
    pub publisher: String,
    /// The trust state of the skill.
    pub trust: TrustState,
    /// Whether the manifest marks the tool's results as sensitive.
    pub sensitive: bool,
    /// Whether the manifest requires approval of each call.
    pub requires_approval: bool,
}

/// A skill that is installed or about to be.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// The id, `PUBLISHER.NAME`.
    pub id: String,
    /// The publisher part of the id.
    pub publisher: String,
    /// The version of the new release during an installation, otherwise that of the current release.
    pub version: String,
    /// The trust state of the release.
    pub trust: TrustState,
}

/// Facts about a request. Rules see only those that apply to the action.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyContext {
    /// The transport by which the request arrived.
    pub face: Face,
    /// For `invoke`: the SHA-256 of the canonical arguments, in hexadecimal.
    #[serde(default)]
    pub arguments: String,
    /// For `invoke`: the information-flow labels of the session.
    #[serde(default)]
    pub labels: InformationLabels,
    /// For `invoke`: whether the grants allow changes outside of the state root.
    #[serde(default)]
    pub writes_outside: bool,
    /// For `invoke`: whether a person approved the call.
    #[serde(default)]
    pub approved: bool,
    /// For `approve`: the requester of the call. An unknown requester is treated like the approver.
    #[serde(default)]
    pub requester: Option<Principal>,
    /// For `approve`: whether a person answered a prompt of their MCP client.
    #[serde(default)]
    pub elicited: bool,
}

impl PolicyContext {
    /// Creates the context of a request without further facts.
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
    /// Returns the requester, which defaults to the approving principal itself.
    pub(crate) fn requester(&self) -> &Principal {
        self.context.requester.as_ref().unwrap_or(&self.principal)
    }
}

impl Principal {
    /// Creates a principal with the given scopes.
    pub fn new(kind: PrincipalKind, id: impl Into<String>, scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self { id: id.into(), kind, scopes: scopes.into_iter().collect() }
    }

    /// Creates the owner, who has every scope.
    pub fn owner(id: impl Into<String>) -> Self {
        Self::new(PrincipalKind::Owner, id, Scope::ALL)
    }
}

impl Resource {
    /// Returns the kind of the resource.
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::Tool(_) => ResourceKind::Tool,
            Self::Skill(_) => ResourceKind::Skill,
            Self::Publisher(_) => ResourceKind::Publisher,
            Self::Daemon => ResourceKind::Daemon,
        }
    }
}

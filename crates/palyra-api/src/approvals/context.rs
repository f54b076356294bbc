//! The information shown to a person before deciding an approval.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Approval;

/// Response of `GET /v1/approvals/{approval_id}/context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalContext {
    /// The approval itself.
    pub approval: Approval,
    /// The last approved request of the same tool, for comparison; `null` if there is none among the newest 1,000.
    pub last_approved: Option<Approval>,
    /// Resources that the call can access under its current grants.
    pub reach: CallReach,
}

/// The resources that a call can access.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallReach {
    /// Hosts, with their methods and paths.
    pub hosts: Vec<String>,
    /// Secrets by name, with where and how they are sent.
    pub secrets: Vec<ReachedSecret>,
    /// Directories of this machine that are mapped.
    pub directories: Vec<ReachedDirectory>,
    /// Channels it may publish to.
    pub channels: Vec<String>,
    /// Prefixes of its own storage.
    pub storage: Vec<String>,
    /// Private address ranges that an operator allowed.
    pub addresses: Vec<String>,
}

/// A secret that a call can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReachedSecret {
    /// Its name, for example `global/github_token`.
    pub secret: String,
    /// Hosts that the daemon sends it to.
    pub hosts: Vec<String>,
    /// How the daemon injects it: `bearer`, `basic`, `header:NAME` or `query:NAME`.
    pub inject: Vec<String>,
    /// Whether the guest can read the value itself.
    pub readable: bool,
}

/// A directory that a call can access.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct ReachedDirectory {
    /// The name that the guest sees, for example `/docs`.
    pub root: String,
    /// Target.
    pub directory: String,
    /// Whether files there can be changed.
    pub writable: bool,
}

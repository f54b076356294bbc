//! What a person looks at before deciding an approval.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Approval;

/// The answer of `GET /v1/approvals/{approval_id}/context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalContext {
    /// The approval itself.
    pub approval: Approval,
    /// The newest approved request of the same tool, to compare arguments with; none among the newest 1,000.
    pub last_approved: Option<Approval>,
    /// What the call can reach, as far as its grants are known now.
    pub reach: CallReach,
}

/// What a call can reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallReach {
    /// Hosts, with methods and paths as far as they are bounded.
    pub hosts: Vec<String>,
    /// Secrets by name, with the hosts they may be sent to.
    pub secrets: Vec<String>,
    /// Directories of this machine.
    pub directories: Vec<ReachedDirectory>,
    /// Channels it may publish to.
    pub channels: Vec<String>,
    /// Prefixes of its own storage.
    pub storage: Vec<String>,
    /// Private address ranges that an operator opened.
    pub addresses: Vec<String>,
}

/// A directory that a call can reach.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct ReachedDirectory {
    /// The name the guest sees, as in `/docs`.
    pub root: String,
    /// Where it leads.
    pub directory: String,
    /// Whether files there can be changed.
    pub writable: bool,
}

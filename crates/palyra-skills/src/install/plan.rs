//! A complete plan of an installation: every write that the owner of the state has to make, or a refusal to record.

use std::sync::Arc;

use super::outcome::InstallOutcome;
use super::refusal::InstallRefusal;

/// The changes that one request makes to one generation of the state, created by [`plan_install`](super::plan_install).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InstallPlan {
    /// The generation of the state that the plan is based on. The plan applies to no other generation.
    pub generation: u64,
    /// The bytes of the archive, stored if the outcome requires it.
    pub bytes: Arc<[u8]>,
    /// The decision about the request.
    pub decision: InstallDecision,
}

/// The decision of a plan.
#[derive(Debug, Clone)]
pub enum InstallDecision {
    /// The state already contains everything: no event and no new generation.
    Unchanged(Box<InstallOutcome>),
    /// The object, trust change, consent, record and events of the outcome are written in one commit.
    Install(Box<InstallOutcome>),
    /// Only the event and the trust change of the refusal are recorded.
    Refuse(Box<InstallRefusal>),
}

impl InstallPlan {
    /// Returns the outcome that applying the plan writes, or `None` if the plan installs nothing.
    #[must_use]
    pub fn installation(&self) -> Option<&InstallOutcome> {
        match &self.decision {
            InstallDecision::Install(outcome) => Some(outcome),
            InstallDecision::Unchanged(_) | InstallDecision::Refuse(_) => None,
        }
    }

    /// Returns the result of applying the plan, without applying it.
    pub fn into_preview(self) -> Result<InstallOutcome, Box<InstallRefusal>> {
        match self.decision {
            InstallDecision::Unchanged(outcome) | InstallDecision::Install(outcome) => Ok(*outcome),
            InstallDecision::Refuse(refusal) => Err(refusal),
        }
    }
}

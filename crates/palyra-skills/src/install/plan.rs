//! A complete plan of an installation: everything the owner of the state has to write, or a refusal to record.

use std::sync::Arc;

use super::outcome::InstallOutcome;
use super::refusal::InstallRefusal;

/// What one request changes in a state of one generation; made by [`plan_install`](super::plan_install) only.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InstallPlan {
    /// The generation of the state the plan was made from; it may not be applied to another one.
    pub generation: u64,
    /// The archive, stored if the outcome says so.
    pub bytes: Arc<[u8]>,
    /// What was decided about the request.
    pub decision: InstallDecision,
}

/// What a plan does.
#[derive(Debug, Clone)]
pub enum InstallDecision {
    /// Everything is stored already: no event, and no new generation.
    Unchanged(Box<InstallOutcome>),
    /// Object, trust change, consent, record and events of the outcome are written in one commit.
    Install(Box<InstallOutcome>),
    /// The refusal's event and trust change are recorded, and nothing else.
    Refuse(Box<InstallRefusal>),
}

impl InstallPlan {
    /// Returns the outcome that applying the plan writes; `None` if it installs nothing.
    #[must_use]
    pub fn installation(&self) -> Option<&InstallOutcome> {
        match &self.decision {
            InstallDecision::Install(outcome) => Some(outcome),
            InstallDecision::Unchanged(_) | InstallDecision::Refuse(_) => None,
        }
    }

    /// Returns what applying the plan would report, without applying it.
    pub fn into_preview(self) -> Result<InstallOutcome, Box<InstallRefusal>> {
        match self.decision {
            InstallDecision::Unchanged(outcome) | InstallDecision::Install(outcome) => Ok(*outcome),
            InstallDecision::Refuse(refusal) => Err(refusal),
        }
    }
}

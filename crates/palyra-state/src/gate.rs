//! Questions to the access policy, asked inside a corridor once it is known what they are about.
//!
//! The owner of the state does not decide about access: whoever brings a call or a decision brings the question along.

use std::fmt;
use std::sync::Arc;

use palyra_common::JsonText;
use palyra_policy::PolicyDecision;
use palyra_skills::Sha256Digest;
use palyra_skills::index::SkillRecord;
use palyra_skills::manifest::ToolEntrypoint;

use crate::approvals::Approval;

/// Nothing, or the decision that says no.
pub type GateVerdict = Result<(), Arc<PolicyDecision>>;

/// A call that could begin as far as its skill is concerned.
#[derive(Debug, Clone, Copy)]
pub struct CallQuestion<'c> {
    /// The skill.
    pub record: &'c SkillRecord,
    /// Its tool.
    pub tool: &'c ToolEntrypoint,
    /// The input.
    pub input: &'c JsonText,
}

/// A module that came with its call and could begin as far as the runner's policy is concerned.
#[derive(Debug, Clone, Copy)]
pub struct InlineQuestion<'c> {
    /// The digest of the module.
    pub payload: &'c Sha256Digest,
    /// The input.
    pub input: &'c JsonText,
}

/// Asks whether a module that came with its call may run.
#[derive(Clone)]
pub struct InlineGate(Arc<dyn Fn(&InlineQuestion<'_>) -> GateVerdict + Send + Sync>);

/// Asks whether a call may begin.
#[derive(Clone)]
pub struct CallGate(Arc<dyn Fn(&CallQuestion<'_>) -> GateVerdict + Send + Sync>);

/// Asks whether somebody may decide an approval.
#[derive(Clone)]
pub struct ApprovalGate(Arc<dyn Fn(&Approval) -> GateVerdict + Send + Sync>);

impl CallGate {
    /// A gate that asks this.
    pub fn new(ask: impl Fn(&CallQuestion<'_>) -> GateVerdict + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// No policy is asked: for whoever holds the state itself and has no face.
    pub fn open() -> Self {
        Self::new(|_| Ok(()))
    }

    pub(crate) fn ask(&self, question: &CallQuestion<'_>) -> GateVerdict {
        (self.0)(question)
    }
}

impl InlineGate {
    /// A gate that asks this.
    pub fn new(ask: impl Fn(&InlineQuestion<'_>) -> GateVerdict + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// No policy is asked: for whoever holds the state itself and has no face.
    pub fn open() -> Self {
        Self::new(|_| Ok(()))
    }

    pub(crate) fn ask(&self, question: &InlineQuestion<'_>) -> GateVerdict {
        (self.0)(question)
    }
}

impl ApprovalGate {
    /// A gate that asks this.
    pub fn new(ask: impl Fn(&Approval) -> GateVerdict + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// No policy is asked: for whoever holds the state itself and has no face.
    pub fn open() -> Self {
        Self::new(|_| Ok(()))
    }

    pub(crate) fn ask(&self, approval: &Approval) -> GateVerdict {
        (self.0)(approval)
    }
}

impl fmt::Debug for CallGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallGate")
    }
}

impl fmt::Debug for InlineGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InlineGate")
    }
}

impl fmt::Debug for ApprovalGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApprovalGate")
    }
}

//! The record of a running verification.

use super::refusal::{ClaimedIdentity, RefusalReason, VerifyRefusal};
use super::report::{VerifyStep, VerifyStepName};
use crate::signing::{PublisherKey, ReleaseStatement};
use crate::trust::{ReleaseMark, SkillOwnership, TrustChange, TrustDecision};

/// The end of a run, and its consequence.
pub(super) struct Stop {
    pub(super) reason: RefusalReason,
    pub(super) proposed: Option<TrustChange>,
}

impl<T: Into<RefusalReason>> From<T> for Stop {
    fn from(reason: T) -> Self {
        Self { reason: reason.into(), proposed: None }
    }
}

/// The steps so far, with the identity that the artifact claims.
#[derive(Default)]
pub(super) struct StepJournal {
    current: VerifyStepName,
    pub(super) steps: Vec<VerifyStep>,
    claims: Option<ClaimedIdentity>,
}

impl StepJournal {
    pub(super) fn begin(&mut self, name: VerifyStepName) {
        self.current = name;
    }

    pub(super) fn pass(&mut self, checked: &'static str, found: String) {
        self.steps.push(VerifyStep { name: self.current, checked, found });
    }

    pub(super) fn identify(&mut self, statement: &ReleaseStatement) {
        self.claims = Some(ClaimedIdentity::of(&statement.predicate));
    }

    pub(super) fn refuse(self, stop: Stop) -> VerifyRefusal {
        let Stop { reason, proposed } = stop;
        VerifyRefusal { step: self.current, reason, passed: self.steps, claims: self.claims, proposed }
    }
}

pub(super) fn describe(decision: &TrustDecision, publisher: &str) -> String {
    match decision {
        TrustDecision::BuiltIn => "built into this program".to_owned(),
        TrustDecision::Allowlisted => format!("publisher `{publisher}` is allowlisted"),
        TrustDecision::Pinned => format!("publisher `{publisher}` is pinned"),
        TrustDecision::Lineage { to_epoch, .. } => {
            format!("publisher `{publisher}` rotated to new keys, epoch {to_epoch}")
        }
        TrustDecision::TofuOffer { .. } => format!("publisher `{publisher}` is new and can be pinned"),
        TrustDecision::Unknown { .. } => {
            format!("publisher `{publisher}` is unknown and pinning was not allowed")
        }
    }
}

pub(super) fn describe_progress(known: Option<&SkillOwnership>, release: &ReleaseMark) -> String {
    match known.and_then(SkillOwnership::high_water) {
        Some(mark) => format!(
            "{} (counter {}) after {} (counter {})",
            release.version, release.release_counter, mark.version, mark.release_counter
        ),
        None => format!("first known release, {}", release.version),
    }
}

pub(super) fn join(keys: &[PublisherKey]) -> String {
    keys.iter().map(|key| key.key_id().to_string()).collect::<Vec<_>>().join(", ")
}

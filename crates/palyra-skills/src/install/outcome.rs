//! The result of the install pipeline.

use serde::Serialize;

use super::event::InstallEvent;
use crate::audit::AuditReport;
use crate::compat::Eligibility;
use crate::consent::{ConsentRecord, ConsentRequest, Withheld};
use crate::digest::Sha256Digest;
use crate::grants::Permission;
use crate::index::{RuntimeStatus, SkillRecord, TrustState};
use crate::trust::{TrustChange, TrustDecision};
use crate::update::UpdateDiff;
use crate::verify::{Verification, VerifyStepName};

/// A skill that was taken in, and everything a person wants to know about it.
#[derive(Debug, Clone, Serialize)]
pub struct InstallOutcome {
    /// Placement of the release.
    pub placement: Placement,
    /// The state of the release.
    pub status: RuntimeStatus,
    /// Trust state.
    pub trust: TrustState,
    /// Trust decision; `null` if an installed release is no longer trusted.
    pub decision: Option<TrustDecision>,
    /// The release.
    pub payload: Sha256Digest,
    /// Its stored object.
    pub archive: Sha256Digest,
    /// The keys that signed it, by key id.
    pub signers: Vec<String>,
    /// Permissions as text.
    pub permissions: Vec<Permission>,
    /// Audit result; `null` if verification failed before it.
    pub audit: Option<AuditReport>,
    /// Differences from the running release.
    pub diff: Option<UpdateDiff>,
    /// Permissions that still need consent.
    pub consent_request: Option<ConsentRequest>,
    /// Requested grants that are not in effect.
    pub withheld: Vec<Withheld>,
    /// Whether it fits this machine.
    pub eligibility: Eligibility,
    /// Each step, in order.
    pub steps: Vec<InstallStep>,
    /// The row of the skill from now on.
    pub record: SkillRecord,
    /// A consent that is kept from now on.
    pub new_consent: Option<ConsentRecord>,
    /// The new trust record of the publisher.
    pub trust_change: Option<TrustChange>,
    /// Whether the bytes were proven and belong into the store.
    pub stores_bytes: bool,
    /// The leaves of the journal.
    pub events: Vec<InstallEvent>,
}

/// Placement of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// It is the skill's current release.
    Current,
    /// It waits beside the current one, which runs on.
    Waiting,
}

/// The steps of the install pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "stage", content = "step")]
pub enum InstallStage {
    /// A step of verification.
    Verify(VerifyStepName),
    /// The audit.
    Audit,
    /// Trust decision.
    Trust,
    /// Differences from the running release.
    Update,
    /// What a person agreed to.
    Consent,
    /// The transaction.
    Store,
}

/// One step that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstallStep {
    /// The part.
    #[serde(flatten)]
    pub stage: InstallStage,
    /// The check.
    pub checked: String,
    /// The finding.
    pub found: String,
    /// Whether this keeps the release from running.
    pub blocks: bool,
}

impl InstallStep {
    /// The last step of an installation, reported once its transaction is committed.
    #[must_use]
    pub fn stored(outcome: &InstallOutcome) -> Self {
        let place = match outcome.placement {
            Placement::Current => "as the current release",
            Placement::Waiting => "beside the current release, which keeps running",
        };
        Self {
            stage: InstallStage::Store,
            checked: "one transaction".to_owned(),
            found: format!("stored {place}, sha256:{}", outcome.archive),
            blocks: false,
        }
    }
}

/// Steps as they pass, kept and shown.
pub(super) struct Progress<'a> {
    observe: &'a mut dyn FnMut(&InstallStep),
    steps: Vec<InstallStep>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(observe: &'a mut dyn FnMut(&InstallStep)) -> Self {
        Self { observe, steps: Vec::new() }
    }

    pub(super) fn pass(&mut self, stage: InstallStage, checked: impl Into<String>, found: impl Into<String>) {
        self.note(false, stage, checked, found);
    }

    /// Notes a step; one that `blocks` keeps the release from running.
    pub(super) fn note(
        &mut self,
        blocks: bool,
        stage: InstallStage,
        checked: impl Into<String>,
        found: impl Into<String>,
    ) {
        let step = InstallStep { stage, checked: checked.into(), found: found.into(), blocks };
        (self.observe)(&step);
        self.steps.push(step);
    }

    pub(super) fn verified(&mut self, verification: &Verification) {
        let unknown = matches!(verification.trust, TrustDecision::Unknown { .. });
        for step in &verification.steps {
            let blocks = unknown && step.name == VerifyStepName::Trust;
            self.note(blocks, InstallStage::Verify(step.name), step.checked, step.found.clone());
        }
    }

    pub(super) fn into_steps(self) -> Vec<InstallStep> {
        self.steps
    }
}

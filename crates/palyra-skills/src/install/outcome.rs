//! The result of the install pipeline.

pub use palyra_common::model::skills::Placement;

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

/// An accepted release, with the state to write and the facts to show.
#[derive(Debug, Clone, Serialize)]
pub struct InstallOutcome {
    /// Whether the release is the current one of its skill.
    pub placement: Placement,
    /// The state of the release.
    pub status: RuntimeStatus,
    /// The trust state of the release.
    pub trust: TrustState,
    /// The trust decision; `None` if an installed release is no longer trusted.
    pub decision: Option<TrustDecision>,
    /// The payload digest, which identifies the release.
    pub payload: Sha256Digest,
    /// The digest of the archive, which is the name of the stored object.
    pub archive: Sha256Digest,
    /// The keys that signed it, by key id.
    pub signers: Vec<String>,
    /// The requested permissions, most severe first.
    pub permissions: Vec<Permission>,
    /// The audit report; `None` if verification failed before the audit.
    pub audit: Option<AuditReport>,
    /// Differences from the running release.
    pub diff: Option<UpdateDiff>,
    /// Permissions that still need consent.
    pub consent_request: Option<ConsentRequest>,
    /// Requested grants that are not in effect.
    pub withheld: Vec<Withheld>,
    /// The requirements that this machine does not meet.
    pub eligibility: Eligibility,
    /// Each step of the pipeline, in order.
    pub steps: Vec<InstallStep>,
    /// The new record of the skill.
    pub record: SkillRecord,
    /// A consent to store, if it is new.
    pub new_consent: Option<ConsentRecord>,
    /// The new trust record of the publisher.
    pub trust_change: Option<TrustChange>,
    /// Whether the bytes were verified and must be stored.
    pub stores_bytes: bool,
    /// The events to record in the journal, in order.
    pub events: Vec<InstallEvent>,
}

/// A stage of the install pipeline, as shown with its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "stage", content = "step")]
pub enum InstallStage {
    /// A step of verification.
    Verify(VerifyStepName),
    /// The static audit.
    Audit,
    /// The trust state, from publisher and findings.
    Trust,
    /// Differences from the running release.
    Update,
    /// Consent to the permissions.
    Consent,
    /// The transaction that writes the outcome.
    Store,
}

/// A completed step of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstallStep {
    /// The stage that the step belongs to.
    #[serde(flatten)]
    pub stage: InstallStage,
    /// The check, as text.
    pub checked: String,
    /// The result of the check, as text.
    pub found: String,
    /// Whether the result prevents the release from running.
    pub blocks: bool,
}

impl InstallStep {
    /// Returns the last step of an installation, to report after its transaction is committed.
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

/// Collects steps and reports each to an observer.
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

    /// Adds a step. With `blocks`, the step prevents the release from running.
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

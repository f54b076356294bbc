//! Refusals of the install pipeline.

use palyra_common::ErrorCode;
use palyra_common::text::clip_untrusted;
use semver::Version;
use serde_json::json;

use super::event::{InstallEvent, InstallEventKind};
use crate::audit::{AuditReport, Finding, Verdict};
use crate::digest::Sha256Digest;
use crate::trust::TrustChange;
use crate::verify::{Verification, VerifyRefusal};

/// A refusal of an artifact.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct InstallRefusal {
    /// The reason, with the facts for its message.
    pub reason: InstallRefusalReason,
    /// The skill, if its manifest could be read.
    pub skill_id: Option<String>,
    /// The version, if the manifest could be read.
    pub version: Option<Version>,
    /// The payload digest, once it was verified.
    pub payload: Option<Sha256Digest>,
}

/// The reason why an artifact is refused.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum InstallRefusalReason {
    /// Verification failed.
    #[error(transparent)]
    Verify(Box<VerifyRefusal>),
    /// The audit verdict is to refuse.
    #[error("the audit rejects it: {}", first(.0))]
    Audit(Box<AuditReport>),
    /// A tool would have the same name for models as a tool of another skill.
    #[error("models see `{tool}` as `{name}`, which is already a tool of another installed skill")]
    ModelName {
        /// The installed tool with that name.
        tool: String,
        name: String,
    },
    /// The consent names another digest than that of the request.
    #[error("consent was given to `{given}`, but the release requests `{expected}`")]
    ConsentMismatch { given: Sha256Digest, expected: Sha256Digest },
    /// The stored bytes belong to another release.
    #[error("the stored bytes are release `{found}`, expected `{expected}`")]
    OtherRelease { expected: Sha256Digest, found: Sha256Digest },
    /// The release is not installed.
    #[error("release `{payload}` of `{skill_id}` is not installed")]
    NotInstalled { skill_id: String, payload: Sha256Digest },
    /// A rollback targets a release that cannot run.
    #[error("the earlier release cannot run: {why}")]
    RollbackBlocked { why: String },
}

impl InstallRefusal {
    pub(super) fn new(verification: &Verification, reason: InstallRefusalReason) -> Self {
        let skill = &verification.skill;
        let manifest = skill.manifest();
        Self {
            reason,
            skill_id: Some(manifest.skill_id.clone()),
            version: Some(manifest.version.clone()),
            payload: Some(skill.payload()),
        }
    }

    pub(super) fn by_verification(refusal: VerifyRefusal) -> Self {
        let claims = refusal.claims.clone();
        Self {
            skill_id: claims.as_ref().map(|claims| claims.skill_id.clone()),
            version: claims.map(|claims| claims.version),
            payload: None,
            reason: InstallRefusalReason::Verify(Box::new(refusal)),
        }
    }

    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match &self.reason {
            InstallRefusalReason::Verify(refusal) => refusal.hint(),
            InstallRefusalReason::Audit(report) => match report.findings.first() {
                Some(finding) => finding.remedy.clone(),
                None => "see the findings".to_owned(),
            },
            InstallRefusalReason::ModelName { tool, .. } => {
                format!("remove the skill of `{tool}`, or ask the publisher to rename the tool")
            }
            InstallRefusalReason::ConsentMismatch { .. } => {
                "read the requested permissions again, and consent to the digest shown with them".to_owned()
            }
            InstallRefusalReason::OtherRelease { .. } => {
                "another program changed the store; run `palyra skills verify` and `palyra trust repair`"
                    .to_owned()
            }
            InstallRefusalReason::NotInstalled { .. } => "see `palyra skills list`".to_owned(),
            InstallRefusalReason::RollbackBlocked { .. } => {
                "see the earlier releases with `palyra skills show`".to_owned()
            }
        }
    }

    /// Returns the stable error code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match &self.reason {
            InstallRefusalReason::Verify(refusal) => refusal.code(),
            InstallRefusalReason::Audit(_) => ErrorCode::AuditRefused,
            InstallRefusalReason::ModelName { .. } => ErrorCode::ModelNameTaken,
            InstallRefusalReason::ConsentMismatch { .. } => ErrorCode::ConsentMismatch,
            InstallRefusalReason::OtherRelease { .. } => ErrorCode::OtherRelease,
            InstallRefusalReason::NotInstalled { .. } => ErrorCode::NotInstalled,
            InstallRefusalReason::RollbackBlocked { .. } => ErrorCode::RollbackBlocked,
        }
    }

    /// Returns the event to record in the journal.
    #[must_use]
    pub fn event(&self) -> InstallEvent {
        let shown = |text: String| clip_untrusted(&text, 500);
        InstallEvent {
            kind: InstallEventKind::Refused,
            skill_id: self.skill_id.clone(),
            version: self.version.clone(),
            payload: self.payload,
            details: json!({ "code": self.code().as_str(), "reason": shown(self.reason.to_string()) }),
        }
    }

    /// Returns a trust change that the refusal requires: a publisher whose keys signed two different successors is
    /// blocked.
    #[must_use]
    pub fn trust_change(&self) -> Option<&TrustChange> {
        match &self.reason {
            InstallRefusalReason::Verify(refusal) => refusal.proposed.as_ref(),
            _ => None,
        }
    }
}

fn first(report: &AuditReport) -> String {
    let refuses = |finding: &&Finding| finding.effect == crate::audit::Effect::Refuse;
    let finding = report.findings.iter().find(refuses).or_else(|| report.findings.first());
    debug_assert_eq!(report.verdict, Verdict::Refuse);
    finding.map_or_else(String::new, |finding| finding.message.clone())
}

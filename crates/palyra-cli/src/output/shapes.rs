//! Formats API types for people.

mod audit;

pub(crate) use audit::{audit, audit_for_consent};

use palyra_api::skills::{InstallStage, InstallStep, SkillStatus, TrustState, VerifyStep};
use palyra_common::redact::escape_untrusted;

/// Returns the text of a status.
pub(crate) fn status(status: SkillStatus) -> &'static str {
    match status {
        SkillStatus::Active => "active",
        SkillStatus::Quarantined => "quarantined",
        SkillStatus::AwaitingConsent => "awaiting consent",
        SkillStatus::Disabled => "disabled",
        SkillStatus::Error => "error",
    }
}

/// Returns the text of a trust state.
pub(crate) fn trust(trust: TrustState) -> &'static str {
    match trust {
        TrustState::Quarantine => "unknown publisher",
        TrustState::Tofu => "pinned at first use",
        TrustState::Trusted => "allowlisted",
        TrustState::BuiltIn => "built-in",
        TrustState::Revoked => "revoked",
    }
}

/// Formats one step of a verification as a line.
pub(crate) fn verify_step(step: &VerifyStep) -> String {
    format!("ok  {:<10}  {}\n", escape_untrusted(&step.name), escape_untrusted(&step.found))
}

/// Formats one step of an installation for a remark.
pub(crate) fn install_step(step: &InstallStep) -> String {
    let name = match (step.stage, &step.step) {
        (InstallStage::Verify, Some(step)) => step,
        (InstallStage::Verify, None) => "verify",
        (InstallStage::Audit, _) => "audit",
        (InstallStage::Trust, _) => "trust",
        (InstallStage::Update, _) => "update",
        (InstallStage::Consent, _) => "consent",
        (InstallStage::Store, _) => "store",
    };
    let mark = if step.blocks { "no" } else { "ok" };
    format!("{mark}  {name:<10}  {}", step.found)
}

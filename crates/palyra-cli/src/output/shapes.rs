//! Shapes of the API for people.

mod audit;

pub(crate) use audit::{audit, audit_for_consent};

use super::skills;
use palyra_api::skills::{
    InstallStage, InstallStep, Permission, PermissionSeverity, SkillStatus, TrustState, UpdateDiff,
    VerifyStep,
};
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

/// Formats permissions, one per line; broad ones are marked.
pub(crate) fn permissions(permissions: &[Permission]) -> String {
    if permissions.is_empty() {
        return "  none\n".to_owned();
    }
    let line = |permission: &Permission| {
        let mark = match permission.severity {
            PermissionSeverity::Low => "  ",
            PermissionSeverity::Medium => "- ",
            PermissionSeverity::High => "! ",
        };
        format!("  {mark}{}\n", escape_untrusted(&permission.text))
    };
    permissions.iter().map(line).collect()
}

/// Formats differences in two columns; rows of a newer version are skipped.
pub(crate) fn two_columns(diff: &UpdateDiff, old: &str, new: &str) -> String {
    // Both types serialize to the same names.
    let known = |row| serde_json::to_value(row).and_then(serde_json::from_value).ok();
    let rows = diff.rows.iter().filter_map(known).collect();
    skills::two_columns(&palyra_skills::UpdateDiff { rows }, old, new)
}

//! Shapes of the API for people.

use super::skills;
use palyra_api::skills::{Permission, PermissionSeverity, SkillStatus, TrustState, UpdateDiff};
use palyra_common::redact::escape_untrusted;

/// The words for a status.
pub(crate) fn status(status: SkillStatus) -> &'static str {
    match status {
        SkillStatus::Active => "active",
        SkillStatus::Quarantined => "quarantined",
        SkillStatus::AwaitingConsent => "awaiting consent",
        SkillStatus::Disabled => "disabled",
        SkillStatus::Error => "error",
    }
}

/// The words for a standing.
pub(crate) fn trust(trust: TrustState) -> &'static str {
    match trust {
        TrustState::Quarantine => "unknown publisher",
        TrustState::Tofu => "pinned at first use",
        TrustState::Trusted => "allowlisted",
        TrustState::Revoked => "revoked",
    }
}

/// What a skill may do, one line each; those that open much are marked.
pub(crate) fn permissions(permissions: &[Permission]) -> String {
    if permissions.is_empty() {
        return "  nothing outside its own computation\n".to_owned();
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

/// What differs, in two columns; a row this version does not know is left out.
pub(crate) fn two_columns(diff: &UpdateDiff, old: &str, new: &str) -> String {
    // Both are written by the same names.
    let known = |row| serde_json::to_value(row).and_then(serde_json::from_value).ok();
    let rows = diff.rows.iter().filter_map(known).collect();
    skills::two_columns(&palyra_skills::UpdateDiff { rows }, old, new)
}

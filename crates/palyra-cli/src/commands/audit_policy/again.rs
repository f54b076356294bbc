//! Results of auditing all installed skills again.

use crate::output::{Remark, shapes, table};
use palyra_api::audit_policy::AuditedAgain;
use palyra_api::skills::SkillStatus;

/// Returns a table of the audits; empty if nothing is installed.
pub(super) fn shown(again: &[AuditedAgain]) -> String {
    if again.is_empty() {
        return String::new();
    }
    let row = |one: &AuditedAgain| {
        let problem = one.problem.clone().unwrap_or_default();
        [one.skill_id.clone(), shapes::status(one.runtime_status).to_owned(), problem]
    };
    format!("\n{}", table(["skill", "status", "problem"], &again.iter().map(row).collect::<Vec<_>>()))
}

/// Returns a next step for each skill that no longer runs.
pub(super) fn talk(again: &[AuditedAgain]) -> Vec<Remark> {
    let stopped = again.iter().filter(|one| one.runtime_status == SkillStatus::Quarantined);
    stopped.map(|one| Remark::Next(format!("palyra skills show {} says why", one.skill_id))).collect()
}

//! What came of everything installed when it was audited again.

use crate::output::{Remark, skills, table};
use palyra_skills::RuntimeStatus;
use palyra_state::ReAudit;
use serde::Serialize;

/// One release that was looked at again.
#[derive(Serialize)]
pub(super) struct AuditedAgain {
    skill_id: String,
    runtime_status: RuntimeStatus,
    /// Why it could not be audited.
    problem: Option<String>,
}

impl AuditedAgain {
    pub(super) fn of(audited: ReAudit) -> Self {
        let ReAudit { skill_id, result, .. } = audited;
        match result {
            Ok(outcome) => Self { skill_id, runtime_status: outcome.status, problem: None },
            Err(error) => {
                let runtime_status = RuntimeStatus::Quarantined;
                Self { skill_id, runtime_status, problem: Some(error.to_string()) }
            }
        }
    }
}

/// A table of them; nothing where nothing is installed.
pub(super) fn shown(again: &[AuditedAgain]) -> String {
    if again.is_empty() {
        return String::new();
    }
    let row = |one: &AuditedAgain| {
        let problem = one.problem.clone().unwrap_or_default();
        [one.skill_id.clone(), skills::status(one.runtime_status).to_owned(), problem]
    };
    format!("\n{}", table(["skill", "status", "problem"], &again.iter().map(row).collect::<Vec<_>>()))
}

/// What to do about those that do not run any more.
pub(super) fn talk(again: &[AuditedAgain]) -> Vec<Remark> {
    let stopped = again.iter().filter(|one| one.runtime_status == RuntimeStatus::Quarantined);
    stopped.map(|one| Remark::Next(format!("palyra skills info {} says why", one.skill_id))).collect()
}

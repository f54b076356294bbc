//! Decides whether an installed skill may run.

use palyra_common::WasmPluginRunError;
use palyra_skills::index::SkillRecord;
use palyra_skills::{Platform, RuntimeStatus};

/// Returns an error with a remedy if the skill may not run now on this machine.
pub fn check_runnable(record: &SkillRecord, platform: &Platform) -> Result<(), WasmPluginRunError> {
    let (status, eligibility) = record.status_and_eligibility(platform);
    let id = &record.skill_id;
    let quarantine = record.current.quarantine.as_ref();
    let (reason, remedy) = match status {
        RuntimeStatus::Active => return Ok(()),
        RuntimeStatus::Quarantined => (
            format!(
                "it is quarantined: {}",
                quarantine.map_or("its publisher is not trusted", |kept| kept.reason.as_str())
            ),
            format!("see `palyra skills show {id}`"),
        ),
        RuntimeStatus::AwaitingConsent => {
            ("its permissions have not been approved".into(), format!("palyra skills consent {id}"))
        }
        RuntimeStatus::Disabled => ("it is disabled".into(), format!("palyra skills enable {id}")),
        RuntimeStatus::Error => (
            eligibility.missing.join("; "),
            "run it on a machine that meets its \
            requirements"
                .into(),
        ),
    };
    Err(WasmPluginRunError::NotRunnable { name: id.clone(), reason, remedy })
}

//! Routines that every state has. They can be changed and disabled, but not removed.

use palyra_state::PrincipalId;

use crate::routine::{ConcurrencyPolicy, MisfirePolicy, Routine, RoutineAction};
use crate::schedule::When;

/// Audits everything installed and verifies the journal, every night by default.
pub const RE_AUDIT: &str = "re-audit";

/// Returns whether a built-in routine has this name.
pub fn is_built_in(name: &str) -> bool {
    name == RE_AUDIT
}

/// Returns the built-in routines with their default schedules.
///
/// `made_ms` is the creation time of the state: due times before it are not missed.
pub fn built_in(made_ms: u64) -> Vec<Routine> {
    vec![Routine {
        name: RE_AUDIT.into(),
        enabled: true,
        action: RoutineAction::ReAudit,
        when: When::Cron("17 3 * * *".into()),
        time_zone: "UTC".into(),
        quiet: None,
        misfire: MisfirePolicy::FireOnce,
        concurrency: ConcurrencyPolicy::Forbid,
        jitter_ms: 600_000,
        objective: None,
        wait_approval_ms: 0,
        creator: PrincipalId::default(),
        created_ms: made_ms,
        since_ms: made_ms,
    }]
}

//! Routines every state has: they can be changed and disabled, not removed.

use palyra_state::PrincipalId;

use crate::routine::{ConcurrencyPolicy, MisfirePolicy, Routine, RoutineAction};
use crate::schedule::When;

/// Looks at everything installed and at the journal again, every night.
pub const RE_AUDIT: &str = "re-audit";

/// Whether this is the name of a built-in routine.
pub fn is_built_in(name: &str) -> bool {
    name == RE_AUDIT
}

/// The built-in routines with their default schedules.
///
/// `made_ms` is when the state was made: a night before it is not missed.
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

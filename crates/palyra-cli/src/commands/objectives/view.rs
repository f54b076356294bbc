//! Formats objectives for people.

use crate::output::{facts, moment};
use palyra_api::objectives::Objective;

/// Formats a use such as `3 of 500`, or `3` without a limit.
pub(super) fn used(used: u64, most: Option<u64>) -> String {
    most.map_or_else(|| used.to_string(), |most| format!("{used} of {most}"))
}

/// Formats every field of an objective.
pub(super) fn shown(objective: &Objective) -> String {
    facts(&[
        ("objective", objective.name.clone()),
        ("goal", objective.goal.clone()),
        ("state", objective.state.wire_name().to_owned()),
        ("runs", used(objective.used_runs, objective.max_runs)),
        ("fuel", used(objective.used_fuel, objective.max_fuel)),
        ("routines", objective.routines.join(", ")),
        ("created", moment(objective.created_ms)),
    ])
}

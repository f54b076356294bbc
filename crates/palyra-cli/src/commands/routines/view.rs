//! Formats routines and their fires for people.

use crate::output::{milliseconds_text, moment};
use palyra_api::routines::{Fire, Misfire, Routine};
use palyra_common::InOrder;

/// Formats the schedule of a routine.
pub(super) fn schedule(routine: &Routine) -> String {
    let zone = &routine.time_zone;
    match (&routine.cron, routine.every_seconds, routine.at_ms) {
        (Some(pattern), ..) => format!("{pattern} ({zone})"),
        (None, Some(seconds), _) => format!("every {}", span(seconds)),
        (None, None, Some(at)) => format!("once, {}", moment(at)),
        (None, None, None) => String::new(),
    }
}

pub(super) fn does(routine: &Routine) -> String {
    routine.tool.clone().unwrap_or_else(|| "(audits installed skills again)".into())
}

/// Formats the outcome of a fire.
pub(super) fn ended(fire: &Fire) -> String {
    match fire.reason.as_deref().or(fire.error.as_deref()) {
        Some(why) if why != fire.status => format!("{}: {why}", fire.status),
        _ => fire.status.clone(),
    }
}

/// Returns every field of a routine with its label.
pub(super) fn facts_of(routine: &Routine) -> Vec<(&'static str, String)> {
    let seconds = |seconds: u64| if seconds == 0 { String::new() } else { span(seconds) };
    let misfire = match (routine.misfire, routine.catch_up) {
        (Misfire::CatchUp, Some(most)) => format!("catch_up, at most {most}"),
        (other, _) => other.wire_name().to_owned(),
    };
    vec![
        ("routine", routine.name.clone()),
        ("status", if routine.enabled { "enabled" } else { "disabled" }.to_owned()),
        ("tool", does(routine)),
        ("input", if routine.tool.is_some() { InOrder(&routine.input).to_string() } else { String::new() }),
        ("schedule", schedule(routine)),
        ("quiet hours", routine.quiet.clone().unwrap_or_default()),
        ("missed runs", misfire),
        ("overlapping runs", routine.concurrency.wire_name().to_owned()),
        ("random delay", seconds(routine.jitter_seconds)),
        ("objective", routine.objective.clone().unwrap_or_default()),
        ("approval timeout", seconds(routine.wait_approval_seconds)),
        ("acts as", format!("routine:{}", routine.name)),
        ("created by", routine.created_by.clone()),
        ("created", moment(routine.created_ms)),
        (
            "last",
            routine
                .last
                .as_ref()
                .map(|fire| format!("{} {}", moment(fire.due_ms), ended(fire)))
                .unwrap_or_default(),
        ),
    ]
}

/// Formats the next due times, one per line.
pub(super) fn next(routine: &Routine) -> String {
    if routine.next_ms.is_empty() {
        return String::new();
    }
    let lines: String = routine.next_ms.iter().map(|at| format!("  {}\n", moment(*at))).collect();
    format!("\nNext\n{lines}")
}

/// Formats the delay of a fire.
pub(super) fn late(fire: &Fire) -> String {
    match fire.status.as_str() {
        "skipped" => String::new(),
        _ => milliseconds_text(fire.late_ms),
    }
}

/// Formats a duration such as `90s`, `15m`, `6h` or `2d`.
fn span(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "m")];
    match units.into_iter().find(|(unit, _)| seconds.is_multiple_of(*unit)) {
        Some((unit, letter)) => format!("{}{letter}", seconds / unit),
        None => format!("{seconds}s"),
    }
}

//! Formats times for people.

/// Formats Unix milliseconds as `2026-01-31T12:00:00Z`; empty for a time outside of the calendar.
pub fn when(at_ms: u64) -> String {
    let time = i64::try_from(at_ms).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}

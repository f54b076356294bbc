//! Cron patterns, parsed and evaluated by a library.
//!
//! When clocks are set forward, a fixed time that does not exist is due at the first moment after the gap, and steps
//! inside the gap are skipped. When clocks are set back, a fixed time is due once, the first time, and steps are due in
//! both passes. These are the rules of Vixie cron.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_untrusted;

use crate::error::ScheduleError;

/// Maximum length of a pattern in bytes.
const MAX_PATTERN: usize = 200;

/// A pattern of five fields.
#[derive(Debug, Clone)]
pub(super) struct CronPattern(Cron);

impl CronPattern {
    pub(super) fn parse(pattern: &str) -> Result<Self, ScheduleError> {
        let refused = |reason: String| ScheduleError::Cron { pattern: clip_untrusted(pattern, 80), reason };
        if pattern.len() > MAX_PATTERN || !pattern.is_ascii() {
            return Err(refused(format!("it is longer than {MAX_PATTERN} characters or not ASCII")));
        }
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let parsed = parser.parse(pattern.trim());
        parsed.map(Self).map_err(|error| refused(reason(&error.to_string())))
    }

    /// Returns the first time strictly after a moment, or `None` if the library's search finds none.
    pub(super) fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let start = Timestamp::from_second(floor(moment)).ok()?.to_zoned(zone.clone());
        self.0.find_next_occurrence(&start, false).ok().map(|found| found.timestamp())
    }

    /// Returns the last time strictly before a moment.
    pub(super) fn previous_before(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        // Due times are whole minutes, so the search starts at the next whole second to miss none in between.
        let second = floor(moment) + i64::from(moment.as_millisecond().rem_euclid(1_000) != 0);
        let start = Timestamp::from_second(second).ok()?.to_zoned(zone.clone());
        self.0.find_previous_occurrence(&start, false).ok().map(|found| found.timestamp())
    }
}

fn floor(moment: Timestamp) -> i64 {
    moment.as_millisecond().div_euclid(1_000)
}

/// Converts the library's message to the form of our errors.
fn reason(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let text = text.strip_prefix("Invalid pattern: ").unwrap_or(text);
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    escape_untrusted(&first.into_iter().chain(letters).take(200).collect::<String>())
}

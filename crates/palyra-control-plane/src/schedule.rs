//! Schedules: a cron pattern, an interval or a single time, with optional quiet hours.

mod cron;
mod quiet;
mod text;

pub use quiet::QuietHours;
pub use text::parse_every;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use palyra_common::text::clip_untrusted;
use serde::{Deserialize, Serialize};

use crate::error::ScheduleError;
use cron::CronPattern;

/// Maximum number of quiet periods that are skipped before a schedule counts as always quiet.
const MAX_JUMPS: usize = 500;
/// Maximum length of a time zone name in bytes.
const MAX_ZONE_NAME: usize = 64;
/// Maximum interval in milliseconds.
const MAX_EVERY_MS: u64 = 366 * 86_400_000;

/// A schedule in its stored form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum When {
    /// A cron pattern of five fields, in the zone of the routine.
    Cron(String),
    /// A fixed interval.
    Every {
        /// Interval in milliseconds, 1000 to 366 days.
        ms: u64,
        /// Start of the first interval, in Unix milliseconds; not due itself.
        from_ms: u64,
    },
    /// Once, at this time in Unix milliseconds.
    At(u64),
}

/// A validated schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    times: Times,
    zone: TimeZone,
    quiet: Option<QuietHours>,
}

#[derive(Debug, Clone)]
enum Times {
    Cron(Box<CronPattern>),
    Every { ms: i64, from: Timestamp },
    At(Timestamp),
}

impl When {
    /// Parses a time with an offset, or a local time in a zone. A local time that a clock change skips is shifted by
    /// the change; of a repeated local time the first is used.
    pub fn at(text: &str, zone: &str) -> Result<Self, ScheduleError> {
        text::parse_at(text, &find_zone(zone)?).map(Self::At)
    }
}

impl Schedule {
    /// Validates a schedule in a zone.
    pub fn new(when: &When, zone: &str, quiet: Option<&QuietHours>) -> Result<Self, ScheduleError> {
        let times = match when {
            When::Cron(pattern) => Times::Cron(Box::new(CronPattern::parse(pattern)?)),
            When::Every { ms, from_ms } if (1_000..=MAX_EVERY_MS).contains(ms) => Times::Every {
                ms: i64::try_from(*ms).unwrap_or(i64::MAX),
                from: time(*from_ms).ok_or_else(|| ScheduleError::At(from_ms.to_string()))?,
            },
            When::Every { .. } => {
                return Err(ScheduleError::Range { field: "every", least: "1s".into(), most: "366d".into() });
            }
            When::At(at_ms) => Times::At(time(*at_ms).ok_or_else(|| ScheduleError::At(at_ms.to_string()))?),
        };
        Ok(Self { times, zone: find_zone(zone)?, quiet: quiet.copied() })
    }

    /// Returns the first due time after a moment, or `None` if there is none.
    pub fn next_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let mut from = moment;
        for _ in 0..MAX_JUMPS {
            let due = self.raw_next(from)?;
            match self.quiet.and_then(|quiet| quiet.end_around(due, &self.zone)) {
                None => return Some(due),
                Some(end) => from = before(end),
            }
        }
        None
    }

    /// Returns at most `most` of the newest due times after one moment and not after another, oldest first.
    ///
    /// The cost depends on `most`, not on the length of the period.
    pub fn latest(&self, after: Timestamp, until: Timestamp, most: usize) -> Vec<Timestamp> {
        let mut found = Vec::new();
        let mut to = next_instant(until);
        for _ in 0..MAX_JUMPS.max(most) {
            if found.len() >= most {
                break;
            }
            let Some(due) = self.raw_previous(to).filter(|due| *due > after) else { break };
            to = match self.quiet.and_then(|quiet| quiet.begin_around(due, &self.zone)) {
                Some(begin) => begin.min(due),
                None => {
                    found.push(due);
                    due
                }
            };
        }
        found.reverse();
        found
    }

    /// Returns the first time strictly after a moment, ignoring quiet hours.
    fn raw_next(&self, moment: Timestamp) -> Option<Timestamp> {
        match &self.times {
            Times::Cron(pattern) => pattern.next_after(moment, &self.zone),
            Times::At(at) => Some(*at).filter(|at| *at > moment),
            Times::Every { ms, from } => step(*from, *ms, moment, 1),
        }
    }

    /// Returns the last time strictly before a moment, ignoring quiet hours.
    fn raw_previous(&self, moment: Timestamp) -> Option<Timestamp> {
        match &self.times {
            Times::Cron(pattern) => pattern.previous_before(moment, &self.zone),
            Times::At(at) => Some(*at).filter(|at| *at < moment),
            Times::Every { ms, from } => step(*from, *ms, before(moment), 0),
        }
    }
}

/// Returns the last interval end not after the moment (`ahead` 0), or the first one after it (`ahead` 1).
fn step(from: Timestamp, ms: i64, moment: Timestamp, ahead: i64) -> Option<Timestamp> {
    let passed = moment.as_millisecond().checked_sub(from.as_millisecond())?;
    let steps = passed.div_euclid(ms).checked_add(ahead)?;
    let steps = if ahead == 0 { steps } else { steps.max(1) };
    // The start of the first interval is not due itself.
    let due = steps.checked_mul(ms)?.checked_add(from.as_millisecond())?;
    (steps >= 1).then(|| Timestamp::from_millisecond(due).ok()).flatten()
}

fn find_zone(name: &str) -> Result<TimeZone, ScheduleError> {
    let unknown = || ScheduleError::TimeZone(clip_untrusted(name, 80));
    if name.len() > MAX_ZONE_NAME || !name.is_ascii() {
        return Err(unknown());
    }
    TimeZone::get(name).map_err(|_| unknown())
}

/// Converts Unix milliseconds to a timestamp.
pub(crate) fn time(at_ms: u64) -> Option<Timestamp> {
    i64::try_from(at_ms).ok().and_then(|at| Timestamp::from_millisecond(at).ok())
}

fn before(moment: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(moment.as_millisecond().saturating_sub(1)).unwrap_or(Timestamp::MIN)
}

fn next_instant(moment: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(moment.as_millisecond().saturating_add(1)).unwrap_or(Timestamp::MAX)
}

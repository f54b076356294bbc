//! Hours in which nothing is due.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Span, Timestamp, ToSpan};
use palyra_common::text::clip_untrusted;
use serde::{Deserialize, Serialize};

use crate::error::ScheduleError;

/// A range of hours of the day, inclusive start and exclusive end; may span midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuietHours {
    from: Time,
    to: Time,
}

impl QuietHours {
    /// Returns the end of the quiet hours around a moment, or `None` if the moment is not quiet.
    pub(super) fn end_around(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let now = self.quiet_now(moment, zone)?;
        let day = if now.time() < self.to { 0.days() } else { 1.days() };
        let change = zone.following(moment).next().map(|change| change.timestamp());
        let end = match instant(now, day, self.to, zone)? {
            Instant::At(end) => end,
            // A clock change skips the end, so the quiet hours end with the change.
            Instant::Never => change?,
        };
        // When clocks are set back, the local time can leave the quiet hours earlier.
        let end = change.filter(|at| *at < end && self.quiet_now(*at, zone).is_none()).unwrap_or(end);
        if end > moment { Some(end) } else { later(moment) }
    }

    /// Returns the start of the quiet hours around a moment, or `None` if the moment is not quiet.
    pub(super) fn begin_around(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let now = self.quiet_now(moment, zone)?;
        let day = if now.time() >= self.from { 0.days() } else { (-1).days() };
        let change = zone.preceding(following_second(moment)?).next().map(|change| change.timestamp());
        let begin = match instant(now, day, self.from, zone) {
            Some(Instant::At(begin)) => begin,
            Some(Instant::Never) => return Some(change.unwrap_or(moment)),
            None => return Some(moment),
        };
        let Some(change) = change.filter(|at| begin < *at) else { return Some(begin) };
        // The clocks were set back within the quiet hours: the repeated hour may be outside of them at the end of its
        // first pass or at the start of its second.
        if self.quiet_now(change, zone).is_none() {
            return Some(second_pass(now, day, self.from, zone).unwrap_or(moment));
        }
        match self.quiet_now(preceding_second(change)?, zone) {
            None => Some(change),
            Some(_) => Some(begin),
        }
    }

    fn quiet_now(&self, moment: Timestamp, zone: &TimeZone) -> Option<DateTime> {
        let now = zone.to_datetime(moment);
        let time = now.time();
        let inside = if self.from < self.to {
            self.from <= time && time < self.to
        } else {
            self.from <= time || time < self.to
        };
        inside.then_some(now)
    }
}

/// Moment of a local time.
enum Instant {
    At(Timestamp),
    /// A clock change skips the local time.
    Never,
}

fn instant(now: DateTime, days: Span, time: Time, zone: &TimeZone) -> Option<Instant> {
    let date = now.date().checked_add(days).ok()?;
    let found = zone.to_ambiguous_timestamp(date.to_datetime(time));
    match found.offset() {
        AmbiguousOffset::Gap { .. } => Some(Instant::Never),
        _ => found.compatible().ok().map(Instant::At),
    }
}

/// Returns the second occurrence of a repeated local time.
fn second_pass(now: DateTime, days: Span, time: Time, zone: &TimeZone) -> Option<Timestamp> {
    let date = now.date().checked_add(days).ok()?;
    zone.to_ambiguous_timestamp(date.to_datetime(time)).later().ok()
}

fn following_second(moment: Timestamp) -> Option<Timestamp> {
    Timestamp::from_second(moment.as_second().checked_add(1)?).ok()
}

fn preceding_second(moment: Timestamp) -> Option<Timestamp> {
    Timestamp::from_second(moment.as_second().checked_sub(1)?).ok()
}

/// In a repeated hour the computed end may be in the past; the search then continues a minute later.
fn later(moment: Timestamp) -> Option<Timestamp> {
    Timestamp::from_second(moment.as_second() + 60).ok()
}

impl FromStr for QuietHours {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let bad = || ScheduleError::Quiet(clip_untrusted(text, 40));
        let (from, to) = text.split_once('-').ok_or_else(bad)?;
        let hours = Self { from: minute(from).ok_or_else(bad)?, to: minute(to).ok_or_else(bad)? };
        if hours.from == hours.to { Err(bad()) } else { Ok(hours) }
    }
}

fn minute(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| {
        (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())
    };
    Time::new(number(hour)??, number(minute)??, 0, 0).ok()
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from.hour(), from.minute(), to.hour(), to.minute())
    }
}

impl TryFrom<String> for QuietHours {
    type Error = ScheduleError;

    fn try_from(text: String) -> Result<Self, ScheduleError> {
        text.parse()
    }
}

impl From<QuietHours> for String {
    fn from(hours: QuietHours) -> Self {
        hours.to_string()
    }
}

//! Parses durations and times.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use palyra_common::text::clip_untrusted;

use crate::error::ScheduleError;

/// Parses a duration such as `30s`, `15m`, `6h` or `2d`; returns milliseconds.
pub fn parse_every(text: &str) -> Result<u64, ScheduleError> {
    let bad = || ScheduleError::Every(shown(text));
    let unit = text.chars().next_back().ok_or_else(bad)?;
    let ms: u64 = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return Err(bad()),
    };
    let number = text.get(..text.len() - 1).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|number| number.parse::<u64>().ok()).filter(|number| *number > 0);
    number.and_then(|number| number.checked_mul(ms)).ok_or_else(bad)
}

/// Parses a timestamp, or a local date and time in a zone; returns Unix milliseconds.
pub(super) fn parse_at(text: &str, zone: &TimeZone) -> Result<u64, ScheduleError> {
    let bad = || ScheduleError::At(shown(text));
    if text.len() > 64 {
        return Err(bad());
    }
    let moment = match text.parse::<Timestamp>() {
        Ok(moment) => moment,
        Err(_) => {
            let there = text.parse::<DateTime>().map_err(|_| bad())?;
            zone.to_ambiguous_timestamp(there).compatible().map_err(|_| bad())?
        }
    };
    u64::try_from(moment.as_millisecond()).map_err(|_| bad())
}

fn shown(text: &str) -> String {
    clip_untrusted(text, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        for (text, ms) in [("1s", 1_000), ("15m", 900_000), ("6h", 21_600_000), ("2d", 172_800_000)] {
            assert_eq!(parse_every(text), Ok(ms));
        }
        for bad in ["", "s", "0s", "-1s", "+1s", "1.5h", "1w", "10", "é", "1é", "99999999999999999999d"] {
            assert!(parse_every(bad).is_err(), "{bad}");
        }
    }
}

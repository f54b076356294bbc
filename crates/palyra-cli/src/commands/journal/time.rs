//! Times in arguments: an instant, a day, or a duration before now.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A time in Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant(pub(crate) u64);

/// Parses `2026-01-31T12:00:00Z`, `2026-01-31` (its beginning in UTC), or a duration before now such as `90s`, `30m`,
/// `2h` or `7d`.
pub(crate) fn parse(text: &str) -> Result<Instant, String> {
    read(text, Timestamp::try_from(palyra_common::time::system_time()).unwrap_or(Timestamp::UNIX_EPOCH))
        .and_then(|time| u64::try_from(time.as_millisecond()).ok())
        .map(Instant)
        .ok_or_else(|| {
            "expected a time such as `2026-01-31T12:00:00Z` or `2026-01-31`, or an age such as `30m`, `2h` \
            or `7d`"
                .into()
        })
}

fn read(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if let Ok(day) = text.parse::<Date>() {
        return day.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp());
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds: i64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let ago = number.parse::<u32>().ok().map(i64::from)?.checked_mul(seconds)?;
    Timestamp::from_second(now.as_second().checked_sub(ago)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_days_and_how_long_ago() {
        let now: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let check = |text: &str, expected: &str| {
            assert_eq!(read(text, now).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        };
        check("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z");
        check("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00Z");
        check("2026-01-31", "2026-01-31T00:00:00Z");
        check("90s", "2026-02-28T23:58:30Z");
        check("30m", "2026-02-28T23:30:00Z");
        check("2h", "2026-02-28T22:00:00Z");
        check("1d", "2026-02-28T00:00:00Z");
        for text in ["", "d", "-1d", "1w", "é", "yesterday", "99999999999d"] {
            assert_eq!(read(text, now), None, "{text}");
        }
    }
}

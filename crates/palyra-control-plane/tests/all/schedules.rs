//! Due times: patterns, zones, clock changes, quiet hours.

use crate::memory::at;
use jiff::Timestamp;
use palyra_control_plane::{QuietHours, Schedule, ScheduleError, When};
use proptest::prelude::*;

fn cron(pattern: &str, zone: &str) -> Schedule {
    Schedule::new(&When::Cron(pattern.into()), zone, None).unwrap()
}

/// Returns the next due times in local time of the zone.
fn next(schedule: &Schedule, zone: &str, from: &str, count: usize) -> Vec<String> {
    let zone = jiff::tz::TimeZone::get(zone).unwrap();
    let mut from = at(from);
    let step = |_| {
        from = schedule.next_after(from)?;
        Some(from.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M%:z").to_string())
    };
    (0..count).map_while(step).collect()
}

#[test]
fn a_fixed_time_in_the_gap_is_due_right_after_it() {
    let daily = cron("30 2 * * *", "Europe/Prague");
    assert_eq!(
        next(&daily, "Europe/Prague", "2025-03-29T12:00:00Z", 2),
        ["2025-03-30T03:00+02:00", "2025-03-31T02:30+02:00"]
    );
    let half_an_hour = cron("15 2 * * *", "Australia/Lord_Howe");
    assert_eq!(
        next(&half_an_hour, "Australia/Lord_Howe", "2025-10-04T10:00:00Z", 2),
        ["2025-10-05T02:30+11:00", "2025-10-06T02:15+11:00"]
    );
}

#[test]
fn a_fixed_time_that_comes_twice_is_due_once_and_steps_are_due_in_both_passes() {
    let zone = "Europe/Prague";
    assert_eq!(
        next(&cron("30 2 * * *", zone), zone, "2025-10-25T12:00:00Z", 2),
        ["2025-10-26T02:30+02:00", "2025-10-27T02:30+01:00"]
    );
    assert_eq!(
        next(&cron("*/30 2 * * *", zone), zone, "2025-10-25T12:00:00Z", 5),
        [
            "2025-10-26T02:00+02:00",
            "2025-10-26T02:30+02:00",
            "2025-10-26T02:00+01:00",
            "2025-10-26T02:30+01:00",
            "2025-10-27T02:00+01:00"
        ]
    );
    assert_eq!(
        next(&cron("*/30 * * * *", zone), zone, "2025-03-30T00:20:00Z", 3),
        ["2025-03-30T01:30+01:00", "2025-03-30T03:00+02:00", "2025-03-30T03:30+02:00"]
    );
}

#[test]
fn words_weekdays_and_the_last_day() {
    let zone = "America/New_York";
    assert_eq!(
        next(&cron("0 9 * * mon-fri", zone), zone, "2025-10-31T20:00:00Z", 2),
        ["2025-11-03T09:00-05:00", "2025-11-04T09:00-05:00"]
    );
    assert_eq!(next(&cron("@daily", "UTC"), "UTC", "2025-02-28T20:00:00Z", 1), ["2025-03-01T00:00+00:00"]);
    assert_eq!(next(&cron("0 0 L 2 *", "UTC"), "UTC", "2024-01-01T00:00:00Z", 1), ["2024-02-29T00:00+00:00"]);
}

#[test]
fn every_so_often_counts_from_its_moment_and_not_at_it() {
    let when = When::Every { ms: 90_000, from_ms: 1_000 };
    let schedule = Schedule::new(&when, "UTC", None).unwrap();
    let ms = |at: Timestamp| at.as_millisecond();
    let time = |ms| Timestamp::from_millisecond(ms).unwrap();
    assert_eq!(schedule.next_after(time(0)).map(ms), Some(91_000));
    assert_eq!(schedule.next_after(time(1_000)).map(ms), Some(91_000));
    assert_eq!(schedule.next_after(time(91_000)).map(ms), Some(181_000));
    let all = schedule.latest(time(-5), time(271_000), 10);
    assert_eq!(all.into_iter().map(ms).collect::<Vec<_>>(), [91_000, 181_000, 271_000]);
    assert!(schedule.latest(time(0), time(90_999), 10).is_empty());
}

#[test]
fn a_time_is_read_in_its_zone() {
    let read = |text: &str, zone: &str| match When::at(text, zone) {
        Ok(When::At(ms)) => Timestamp::from_millisecond(i64::try_from(ms).unwrap()).unwrap().to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(read("2026-12-24T18:00", "Europe/Prague"), "2026-12-24T17:00:00Z");
    assert_eq!(read("2026-12-24T18:00:00+05:30", "Europe/Prague"), "2026-12-24T12:30:00Z");
    assert_eq!(read("2025-03-30T02:30", "Europe/Prague"), "2025-03-30T01:30:00Z", "left out: an hour later");
    assert_eq!(read("2025-10-26T02:30", "Europe/Prague"), "2025-10-26T00:30:00Z", "twice: the first");
    for bad in ["", "tomorrow", "2026-13-01T00:00", &"1".repeat(100)] {
        assert!(matches!(When::at(bad, "UTC"), Err(ScheduleError::At(_))), "{bad}");
    }
    assert!(matches!(When::at("2026-12-24T18:00", "Mars/Olympus"), Err(ScheduleError::TimeZone(_))));
}

#[test]
fn nothing_is_due_in_quiet_hours() {
    let quiet: QuietHours = "22:00-07:00".parse().unwrap();
    let zone = "Europe/Prague";
    let hourly = Schedule::new(&When::Cron("0 * * * *".into()), zone, Some(&quiet)).unwrap();
    assert_eq!(
        next(&hourly, zone, "2025-06-01T18:30:00Z", 4),
        [
            "2025-06-01T21:00+02:00",
            "2025-06-02T07:00+02:00",
            "2025-06-02T08:00+02:00",
            "2025-06-02T09:00+02:00"
        ]
    );
    let latest = hourly.latest(at("2025-06-01T00:00:00Z"), at("2025-06-02T05:30:00Z"), 2);
    assert_eq!(latest, [at("2025-06-01T19:00:00Z"), at("2025-06-02T05:00:00Z")]);
    let night = Schedule::new(&When::Cron("0 23 * * *".into()), zone, Some(&quiet)).unwrap();
    assert_eq!(night.next_after(at("2025-06-01T00:00:00Z")), None, "it never is");
    // The clocks change from 02:00 to 03:00, over the end of these quiet hours.
    let quiet: QuietHours = "01:30-02:45".parse().unwrap();
    let often = Schedule::new(&When::Cron("*/20 * * * *".into()), "America/New_York", Some(&quiet)).unwrap();
    assert_eq!(often.next_after(at("2025-03-09T06:20:00Z")), Some(at("2025-03-09T07:00:00Z")));
    // The clocks change from 03:00 to 02:00: the end of the first pass is not quiet, the beginning of the second is.
    let often = Schedule::new(&When::Cron("*/7 2 * * *".into()), zone, Some(&quiet)).unwrap();
    let (from, until) = (at("2025-10-25T12:00:00Z"), at("2025-10-26T01:00:00Z"));
    let passes = [at("2025-10-26T00:49:00Z"), at("2025-10-26T00:56:00Z")];
    assert_eq!(often.latest(from, until, 9), passes);
    assert_eq!(often.next_after(passes[1]), Some(at("2025-10-26T01:49:00Z")));
    // Here the beginning of the second pass is not quiet.
    let quiet: QuietHours = "02:15-03:30".parse().unwrap();
    let often = Schedule::new(&When::Cron("*/10 * * * *".into()), zone, Some(&quiet)).unwrap();
    let due =
        ["2025-10-26T00:10:00Z", "2025-10-26T01:00:00Z", "2025-10-26T01:10:00Z", "2025-10-26T02:30:00Z"]
            .map(at);
    assert_eq!(
        due[1..].iter().map(|at| Some(*at)).collect::<Vec<_>>(),
        due[..3].iter().map(|at| often.next_after(*at)).collect::<Vec<_>>()
    );
    assert_eq!(often.latest(at("2025-10-26T00:05:00Z"), due[3], 9), due);
    for bad in ["", "22-7", "22:00", "22:00-22:00", "24:00-07:00", "2:00-07:00", "22:00-07:00-08:00"] {
        assert!(bad.parse::<QuietHours>().is_err(), "{bad}");
    }
}

#[test]
fn invalid_schedule_is_rejected_with_reason() {
    let refused =
        |pattern: &str| Schedule::new(&When::Cron(pattern.into()), "UTC", None).unwrap_err().to_string();
    assert_eq!(
        refused("* * * *"),
        "invalid cron pattern `* * * *`: pattern must have 5 fields when seconds are disallowed"
    );
    for pattern in ["", "60 * * * *", "* * * * * *", "x * * * *", "\u{1b}[2J * * * *", &"*".repeat(500)] {
        assert!(refused(pattern).contains("invalid cron pattern"), "{pattern}");
    }
    let never = Schedule::new(&When::Cron("0 0 30 2 *".into()), "UTC", None).unwrap();
    assert_eq!(never.next_after(at("2025-01-01T00:00:00Z")), None);
    for ms in [0, 999, u64::MAX] {
        assert!(Schedule::new(&When::Every { ms, from_ms: 0 }, "UTC", None).is_err());
    }
    assert!(Schedule::new(&When::Cron("* * * * *".into()), "../../etc/passwd", None).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Searches backward and forward find the same times, over every change of the clocks.
    #[test]
    fn back_and_forward_agree(
        pattern in prop::sample::select(vec![
            "30 2 * * *", "0 2 * * *", "*/20 * * * *", "15 1-3 * * *", "0 */6 * * *", "45 23 * * sun", "*/7 2 * * *",
        ]),
        zone in prop::sample::select(vec![
            "UTC", "Europe/Prague", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo",
        ]),
        quiet in prop::sample::select(vec![None, Some("22:00-07:00"), Some("01:30-02:45"), Some("02:15-03:30")]),
        start in prop::sample::select(vec!["2025-03-08", "2025-03-29", "2025-10-25", "2025-04-05", "2025-11-01", "2025-07-01"]),
        hours in 1_i64..60,
    ) {
        let quiet = quiet.map(|hours| hours.parse::<QuietHours>().unwrap());
        let schedule = Schedule::new(&When::Cron(pattern.into()), zone, quiet.as_ref()).unwrap();
        let from = at(&format!("{start}T12:00:00Z"));
        let until = Timestamp::from_second(from.as_second() + hours * 3_600).unwrap();
        let mut forward = Vec::new();
        let mut cursor = from;
        while let Some(due) = schedule.next_after(cursor).filter(|due| *due <= until) {
            prop_assert!(due > cursor);
            forward.push(due);
            cursor = due;
        }
        let back = schedule.latest(from, until, 1_000);
        prop_assert_eq!(&back, &forward, "{} {}", pattern, zone);
        let newest = schedule.latest(from, until, 3);
        prop_assert_eq!(newest, forward.iter().rev().take(3).rev().copied().collect::<Vec<_>>());
    }
}

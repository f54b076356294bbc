//! Missed due times, and the spread of fires.

use crate::memory::{every, routine};
use jiff::Timestamp;
use palyra_control_plane::{MisfirePolicy, Plan, jitter, plan};

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn planned(misfire: MisfirePolicy, cursor: i64, now: i64) -> Plan {
    let mut routine = routine("r", every(100));
    routine.misfire = misfire;
    plan(&routine, &routine.schedule().unwrap(), time(cursor), time(now))
}

fn dues(plan: &Plan) -> Vec<i64> {
    plan.fire.iter().map(|fire| fire.due.as_second()).collect()
}

#[test]
fn on_time_every_policy_fires_once() {
    for misfire in [MisfirePolicy::Skip, MisfirePolicy::FireOnce, MisfirePolicy::CatchUp(5)] {
        let plan = planned(misfire, 100, 200);
        assert_eq!((dues(&plan), plan.missed, plan.wake), (vec![200], None, Some(time(300))));
        assert_eq!(plan.cursor, time(200));
        let again = planned(misfire, 200, 200);
        assert_eq!((dues(&again), again.wake), (vec![], Some(time(300))));
    }
}

#[test]
fn missed_times_are_skipped_fired_once_or_made_up_for_within_bounds() {
    let skip = planned(MisfirePolicy::Skip, 0, 1_061);
    assert_eq!((dues(&skip), skip.missed), (vec![], Some(time(1_000))));
    let recent = planned(MisfirePolicy::Skip, 0, 1_060);
    assert_eq!((dues(&recent), recent.missed), (vec![1_000], Some(time(900))), "a minute is not late");
    let once = planned(MisfirePolicy::FireOnce, 0, 1_099);
    assert_eq!((dues(&once), once.missed), (vec![1_000], Some(time(900))));
    let some = planned(MisfirePolicy::CatchUp(3), 0, 1_099);
    assert_eq!((dues(&some), some.missed), (vec![800, 900, 1_000], Some(time(700))));
    let all = planned(MisfirePolicy::CatchUp(50), 0, 1_099);
    assert_eq!((dues(&all).len(), all.missed), (10, None));
    let years = planned(MisfirePolicy::CatchUp(3), 0, 3_000_000_099);
    assert_eq!(dues(&years), [2_999_999_800, 2_999_999_900, 3_000_000_000]);
}

#[test]
fn a_clock_that_was_put_back_makes_nothing_wait_for_years() {
    let back = planned(MisfirePolicy::CatchUp(3), 3_000_000_000, 1_050);
    assert_eq!((dues(&back), back.wake), (vec![], Some(time(1_100))));
}

#[test]
fn a_jitter_belongs_to_its_key() {
    let first = jitter("r", time(100), 60_000);
    assert_eq!(first, jitter("r", time(100), 60_000));
    let many: std::collections::BTreeSet<u64> = (0..200).map(|due| jitter("r", time(due), 60_000)).collect();
    assert!(many.len() > 190 && many.iter().all(|offset| *offset <= 60_000), "{}", many.len());
    assert_ne!(jitter("r", time(100), u64::MAX), jitter("s", time(100), u64::MAX));
    assert_eq!(jitter("r", time(100), 0), 0);
}

#[test]
fn a_spread_fire_begins_later_and_keeps_its_due_time() {
    let mut routine = routine("r", every(100));
    routine.jitter_ms = 50_000;
    let schedule = routine.schedule().unwrap();
    let offset = i64::try_from(jitter("r", time(200), 50_000)).unwrap();
    assert!(offset > 1_000, "a spread that can be seen");
    let early = plan(&routine, &schedule, time(100), time(200));
    let start = Timestamp::from_millisecond(200_000 + offset).unwrap();
    assert_eq!((dues(&early), early.wake), (vec![], Some(start)));
    let then = plan(&routine, &schedule, early.cursor, start);
    assert_eq!((dues(&then), then.fire[0].start), (vec![200], start));
}

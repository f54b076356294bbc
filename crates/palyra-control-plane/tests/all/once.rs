//! No due time fires twice, regardless of clock changes and killed owners.

use crate::memory::{Counting, Memory, every, fires, routine};
use jiff::Timestamp;
use palyra_control_plane::{MisfirePolicy, RoutineStore, Timetable, When};
use palyra_state::FireCause;
use proptest::prelude::*;

/// An event between two steps of the scheduler.
#[derive(Debug, Clone)]
enum Event {
    /// The clock is set, forward or back.
    Move(i64),
    /// The owner is killed after a claim, and another one starts.
    Kill,
    /// A definition is loaded again.
    Reload,
    /// Two owners run at the same time, as if a lock had failed.
    Twice,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (1_i64..400_000).prop_map(Event::Move),
        1 => (-600_000_i64..0).prop_map(Event::Move),
        1 => (1_000_000_i64..90_000_000).prop_map(Event::Move),
        1 => Just(Event::Kill),
        1 => Just(Event::Reload),
        1 => Just(Event::Twice),
    ]
}

fn policy() -> impl Strategy<Value = MisfirePolicy> {
    prop_oneof![
        Just(MisfirePolicy::Skip),
        Just(MisfirePolicy::FireOnce),
        (1_u16..20).prop_map(MisfirePolicy::CatchUp)
    ]
}

async fn look(
    timetable: &mut Timetable,
    now: i64,
    store: &std::sync::Arc<Memory>,
    runner: &std::sync::Arc<Counting>,
) {
    let fires = fires(store, runner);
    let now = Timestamp::from_millisecond(now).unwrap();
    for step in timetable.step(now) {
        for fire in step.fire {
            let due = u64::try_from(fire.due.as_millisecond()).unwrap();
            if let palyra_control_plane::Fired::Begun(_, task) =
                fires.fire(&step.routine, due, 0, FireCause::Schedule).await.unwrap()
            {
                task.await.unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_routine_and_due_time_fires_twice(
        events in prop::collection::vec(event(), 1..40),
        misfire in policy(),
        jitter in prop::sample::select(vec![0_u64, 30_000, 3_600_000]),
        seconds in prop::sample::select(vec![1_u64, 60, 3_600]),
        pattern in prop::sample::select(vec!["*/5 * * * *", "30 2 * * *"]),
    ) {
        let one = palyra_control_plane::Routine { misfire, jitter_ms: jitter, ..routine("one", every(seconds)) };
        let mut two = routine("two", When::Cron(pattern.into()));
        (two.misfire, two.time_zone) = (misfire, "Europe/Prague".into());
        let store = Memory::with(vec![one, two]);
        let runner = Counting::new(1_000_000);
        let threads = tokio::runtime::Builder::new_current_thread().build().unwrap();
        threads.block_on(async {
            let mut now = 1_743_290_000_000_i64;
            let mut timetable = Timetable::default();
            timetable.take(store.load(u64::try_from(now).unwrap()).await.unwrap());
            for event in events {
                match event {
                    Event::Move(by) => now += by,
                    Event::Kill => timetable = Timetable::default(),
                    Event::Reload => {}
                    Event::Twice => {
                        let mut other = Timetable::default();
                        other.take(store.load(u64::try_from(now).unwrap()).await.unwrap());
                        look(&mut other, now, &store, &runner).await;
                    }
                }
                timetable.take(store.load(u64::try_from(now).unwrap()).await.unwrap());
                look(&mut timetable, now, &store, &runner).await;
            }
        });
        let mut ran = runner.ran.lock().unwrap().clone();
        let all = ran.len();
        ran.sort();
        ran.dedup();
        prop_assert_eq!(ran.len(), all);
    }
}

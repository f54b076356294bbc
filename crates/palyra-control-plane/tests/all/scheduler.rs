//! The scheduler loop with a manual clock.

use crate::memory::{Counting, HandClock, Memory, every, fires, routine};
use palyra_control_plane::{ConcurrencyPolicy, Fired, MisfirePolicy, Routine, Scheduler};
use palyra_state::FireCause;
use std::sync::Arc;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

struct Running {
    clock: Arc<HandClock>,
    store: Arc<Memory>,
    runner: Arc<Counting>,
    changes: watch::Sender<u64>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

async fn start(routines: Vec<Routine>, now: i64, permits: usize) -> Running {
    let (clock, store, runner) =
        (Arc::new(HandClock::default()), Memory::with(routines), Counting::new(permits));
    clock.set(now);
    let (changes, receiver) = watch::channel(0);
    let (stop, stopped) = oneshot::channel();
    let scheduler = Scheduler::new(fires(&store, &runner), Arc::clone(&clock) as _, receiver);
    let task = tokio::spawn(scheduler.run(async move {
        let _ = stopped.await;
    }));
    Running { clock, store, runner, changes, stop, task }
}

impl Running {
    /// Waits until the scheduler waits for a time again; everything due was begun before.
    async fn settle(&self) {
        self.clock.waits.notified().await;
    }

    async fn until_ended(&self, count: usize) {
        loop {
            let ended = self.store.ended.notified();
            let done = self.store.statuses().iter().filter(|(_, status)| status != "running").count();
            if done >= count {
                return;
            }
            ended.await;
        }
    }

    async fn stop(self) -> Vec<(u64, String)> {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
        self.store.statuses()
    }
}

fn done(dues: &[u64]) -> Vec<(u64, String)> {
    dues.iter().map(|due| (*due, "completed".to_owned())).collect()
}

#[tokio::test]
async fn scheduler_sleeps_until_due_and_stops_on_request() {
    let running = start(vec![routine("r", every(100))], 50_000, 100).await;
    running.settle().await;
    assert!(running.store.statuses().is_empty());
    for now in [99_999, 100_000, 100_001, 200_000] {
        running.clock.set(now);
        tokio::task::yield_now().await;
    }
    running.until_ended(2).await;
    assert_eq!(running.stop().await, done(&[100_000, 200_000]));
}

#[tokio::test]
async fn a_changed_definition_wakes_it() {
    let running = start(vec![], 50_000, 100).await;
    running.store.routines.lock().unwrap().push(routine("r", every(100)));
    running.changes.send_modify(|changes| *changes += 1);
    running.settle().await;
    running.clock.set(100_000);
    running.until_ended(1).await;
    running.store.routines.lock().unwrap().clear();
    running.changes.send_modify(|changes| *changes += 1);
    while running.changes.receiver_count() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(running.stop().await, done(&[100_000]));
}

#[tokio::test]
async fn clocks_that_jump_fire_nothing_twice_and_lose_no_future() {
    let mut routine = routine("r", every(100));
    routine.misfire = MisfirePolicy::CatchUp(2);
    let running = start(vec![routine], 50_000, 100).await;
    running.settle().await;
    running.clock.set(100_000);
    running.until_ended(1).await;
    // A year forward, and back again.
    running.clock.set(31_536_000_000);
    running.until_ended(4).await;
    running.settle().await;
    running.clock.set(150_000);
    running.settle().await;
    running.clock.set(200_000);
    running.until_ended(5).await;
    let ran = running.runner.ran.lock().unwrap().len();
    let statuses = running.stop().await;
    assert_eq!(ran, 4);
    let missed = statuses.iter().filter(|(_, status)| status == "missed").count();
    assert_eq!((statuses.len(), missed), (5, 1), "{statuses:?}");
    assert!(statuses.contains(&(200_000, "completed".to_owned())));
}

/// Fires at three consecutive times while the first fire is still in progress.
async fn overlapping(policy: ConcurrencyPolicy) -> (Vec<(u64, String)>, usize) {
    let mut routine = routine("r", every(100));
    routine.concurrency = policy;
    let (store, runner) = (Memory::with(vec![]), Counting::new(0));
    let fires = fires(&store, &runner);
    let mut tasks = Vec::new();
    for due in [1, 2, 3] {
        if let Fired::Begun(_, task) = fires.fire(&routine, due, 0, FireCause::Schedule).await.unwrap() {
            tasks.push(task);
        }
        if due == 1 {
            runner.begun.notified().await;
        }
    }
    // With `replace`, the last fire remains.
    if policy == ConcurrencyPolicy::Replace {
        runner.begun.notified().await;
    }
    runner.permits.add_permits(3);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(fires.under_way("r"), 0);
    let ran = runner.ran.lock().unwrap().len();
    (store.statuses(), ran)
}

#[tokio::test]
async fn what_is_due_while_it_is_under_way_goes_by_its_policy() {
    let told = |statuses: &[(u64, &str)]| -> Vec<(u64, String)> {
        statuses.iter().map(|(due, status)| (*due, (*status).to_owned())).collect()
    };
    let (forbid, ran) = overlapping(ConcurrencyPolicy::Forbid).await;
    assert_eq!((forbid, ran), (told(&[(1, "completed"), (2, "overlap"), (3, "overlap")]), 1));
    for policy in [ConcurrencyPolicy::Allow, ConcurrencyPolicy::Queue] {
        assert_eq!(overlapping(policy).await, (done(&[1, 2, 3]), 3), "{policy:?}");
    }
    let (replace, _) = overlapping(ConcurrencyPolicy::Replace).await;
    assert_eq!(replace, told(&[(1, "cancelled"), (2, "cancelled"), (3, "completed")]));
}

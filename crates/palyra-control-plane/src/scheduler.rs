//! The scheduler loop: sleeps until the next fire, or until a definition changes.

mod timetable;

pub use timetable::Timetable;

use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use palyra_state::{FireCause, FireKey};
use tokio::sync::watch;

use crate::clock::Clock;
use crate::fires::{Fired, Fires};
use crate::routine::Routine;
use timetable::Step;

/// Time in milliseconds after which reading the definitions is retried.
const RETRY_MS: i64 = 60_000;

/// Fires routines when they are due.
pub struct Scheduler {
    fires: Arc<Fires>,
    clock: Arc<dyn Clock>,
    changes: watch::Receiver<u64>,
}

impl Scheduler {
    /// Creates a scheduler; `changes` has to change with every change of a definition.
    pub fn new(fires: Arc<Fires>, clock: Arc<dyn Clock>, changes: watch::Receiver<u64>) -> Self {
        Self { fires, clock, changes }
    }

    /// Runs until `stop` completes; fires in progress continue.
    pub async fn run(mut self, stop: impl Future<Output = ()> + Send) {
        let (mut timetable, mut stale) = (Timetable::default(), true);
        tokio::pin!(stop);
        loop {
            let now = self.clock.now();
            if stale {
                self.changes.mark_unchanged();
                stale = !self.load(&mut timetable, now).await;
            }
            let steps = timetable.step(now);
            for step in steps {
                self.carry_out(step, now).await;
            }
            let retry =
                stale.then(|| Timestamp::from_millisecond(now.as_millisecond() + RETRY_MS).ok()).flatten();
            let wake = [timetable.wake(), retry].into_iter().flatten().min();
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = changed(&mut self.changes) => stale = true,
                () = wait(&*self.clock, wake) => {}
            }
        }
    }

    async fn load(&self, timetable: &mut Timetable, now: Timestamp) -> bool {
        match self.fires.store().load(milliseconds(now)).await {
            Ok(routines) => {
                timetable.take(routines);
                true
            }
            Err(error) => {
                tracing::error!(%error, "cannot read the routines");
                false
            }
        }
    }

    async fn carry_out(&self, step: Step, now: Timestamp) {
        let Step { routine, missed, fire } = step;
        if let Some(missed) = missed {
            self.pass(&routine, missed).await;
        }
        for planned in fire {
            let late = milliseconds(now).saturating_sub(milliseconds(planned.start));
            let fired = self.fires.fire(&routine, milliseconds(planned.due), late, FireCause::Schedule).await;
            match fired {
                Ok(Fired::Begun(key, _)) => {
                    tracing::info!(
                        routine = key.routine,
                        due_ms = key.due_ms,
                        late_ms = late,
                        "routine started"
                    );
                }
                Ok(Fired::Passed(key, reason)) => {
                    tracing::info!(
                        routine = key.routine,
                        due_ms = key.due_ms,
                        reason,
                        "routine did not start"
                    );
                }
                Ok(Fired::Taken | Fired::Ending) => {}
                Err(error) => tracing::error!(routine = routine.name, %error, "cannot start routine"),
            }
        }
    }

    async fn pass(&self, routine: &Routine, due: Timestamp) {
        let key = FireKey { routine: routine.name.clone(), due_ms: milliseconds(due) };
        if let Err(error) = self.fires.store().pass(key, FireCause::Schedule, "missed").await {
            tracing::error!(routine = routine.name, %error, "cannot record a missed run");
        }
    }
}

/// Resolves when a definition changed; never resolves once the sender is dropped.
async fn changed(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        std::future::pending().await
    }
}

async fn wait(clock: &dyn Clock, wake: Option<Timestamp>) {
    match wake {
        Some(at) => clock.until(at).await,
        None => std::future::pending().await,
    }
}

fn milliseconds(moment: Timestamp) -> u64 {
    u64::try_from(moment.as_millisecond()).unwrap_or(0)
}

//! The task that delivers: it follows the journal and the channels, and starts every delivery that is ready.

use std::sync::Arc;

use palyra_journal::{EventKind, Follower};
use palyra_state::StateError;
use palyra_state::deliveries::{LaneItem, LaneKey, LaneKind, LaneTarget};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use super::DeliveryOptions;
use super::counts::Recount;
use super::lane::AbortOnDrop;
use super::lanes::Lanes;
use super::pace::Pace;
use super::reading::{blocking, read_items, read_page};
use super::sinks::{self, Failure, SendError};
use crate::app::{App, until_stopping};
use crate::problem::sentence;

/// Number of events after which the cursors of idle observers are stored.
const KEEP_EVERY: u64 = 2_000;

/// Delivers events and messages until the daemon stops.
pub(crate) async fn deliver(app: Arc<App>, options: DeliveryOptions) {
    let mut engine = Engine::new(app, options);
    if let Err(error) = engine.run().await {
        tracing::error!(error = sentence(&error), "delivery engine stopped");
    }
}

struct Engine {
    app: Arc<App>,
    options: DeliveryOptions,
    follower: Follower,
    published: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    lanes: Lanes,
    /// Generation of the state that the lanes reflect.
    generation: Option<u64>,
    /// The first event that was not yet offered to the lanes.
    scanned: u64,
    /// Event up to which the cursors of idle observers are stored.
    kept: u64,
    /// Runs of hooks in progress.
    running: JoinSet<Delivered>,
    /// Deliveries to channels in progress.
    sending: JoinSet<Delivered>,
    pace: Pace,
    recount: Recount,
    /// Size of the journal at the start: an older shutdown event belongs to an earlier daemon.
    began_at: u64,
    /// Time at which a stopping engine ends deliveries that are still in progress.
    deadline: Option<Instant>,
    stop_delivered: bool,
}

/// A finished delivery attempt.
struct Delivered {
    key: LaneKey,
    item: LaneItem,
    took: Duration,
    /// Generation of the state when the attempt began.
    generation: Option<u64>,
    result: Result<(), SendError>,
}

impl Engine {
    fn new(app: Arc<App>, options: DeliveryOptions) -> Self {
        let state = app.state();
        let (follower, published, stopping) =
            (state.journal().follow(), state.channels().follow(), app.stopping());
        let began_at = state.journal().head().size;
        Self {
            app,
            options,
            follower,
            published,
            stopping,
            lanes: Lanes::default(),
            generation: None,
            scanned: 0,
            kept: 0,
            running: JoinSet::new(),
            sending: JoinSet::new(),
            pace: Pace::default(),
            recount: Recount::default(),
            began_at,
            deadline: None,
            stop_delivered: false,
        }
    }

    async fn run(&mut self) -> Result<(), StateError> {
        loop {
            // A stopping daemon has no calls that observers could slow down.
            let rest = self.pace.rest_until().filter(|_| self.deadline.is_none());
            self.work(rest.is_some()).await?;
            if self.is_done() {
                return self.keep_cursors().await;
            }
            if self.recount.take() {
                self.app.hook_counts().set(self.lanes.count_hooks());
            }
            let (retry, deadline) = (self.lanes.next_retry(), self.deadline);
            let recount = self.recount.due();
            tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping), if deadline.is_none() => {
                    self.deadline = Some(Instant::now() + self.options.stop_grace);
                    self.lanes.remove_channels();
                }
                Some(delivered) = self.running.join_next(), if !self.running.is_empty() => {
                    if let Ok(delivered) = delivered {
                        self.pace.worked(delivered.took, self.app.calls_begun());
                        self.settle(delivered).await?;
                    }
                }
                Some(delivered) = self.sending.join_next(), if !self.sending.is_empty() => {
                    if let Ok(delivered) = delivered {
                        self.settle(delivered).await?;
                    }
                }
                changed = self.published.changed(), if deadline.is_none() => match changed {
                    Ok(()) => self.lanes.expect_messages(),
                    Err(_) => return self.keep_cursors().await,
                },
                () = until(rest), if rest.is_some() => {}
                head = self.follower.next(), if rest.is_none() => { head?; }
                () = until(retry), if retry.is_some() => self.lanes.relist(),
                () = until(recount), if recount.is_some() => {}
                () = until(deadline), if deadline.is_some() => return self.keep_cursors().await,
            }
        }
    }

    /// Reads changes and new items, and starts deliveries; observers start only if `rest` is false.
    async fn work(&mut self, rest: bool) -> Result<(), StateError> {
        let began = Instant::now();
        self.follow_changes().await?;
        self.catch_up(LaneKind::Channel).await?;
        while let Some((key, item)) = self.lanes.take_ready(LaneKind::Channel) {
            self.start(key, item);
        }
        if rest {
            return Ok(());
        }
        let read = self.read_events().await?;
        if self.start_hooks() || read {
            self.recount.moved();
        }
        if read {
            self.pace.worked(began.elapsed(), self.app.calls_begun());
        }
        Ok(())
    }

    /// Returns whether a shutdown began and every runnable observer received its event.
    fn is_done(&self) -> bool {
        self.deadline.is_some()
            && (self.stop_delivered || !self.lanes.has_hooks())
            && self.running.is_empty()
            && !self.lanes.has_ready()
    }

    /// Updates the lanes after a change of the state, which may also release lanes that wait for one.
    async fn follow_changes(&mut self) -> Result<(), StateError> {
        let state = Arc::clone(self.app.state());
        let generation = state.view().generation();
        if self.generation == Some(generation) {
            return Ok(());
        }
        let cursors = blocking(&state, |state| state.deliveries().cursors()).await?;
        let first_time = self.generation.is_none();
        let mut in_use = state.deliveries().lanes();
        if self.deadline.is_some() {
            in_use.retain(|lane| matches!(lane.target, LaneTarget::Hook(_)));
        }
        self.lanes.follow(in_use, &cursors, self.scanned, self.app.now_ms());
        if first_time {
            self.scanned = self.lanes.first_event().unwrap_or_else(|| state.journal().head().size);
            self.kept = self.scanned;
        }
        let gone: Vec<LaneKey> =
            cursors.into_keys().filter(|lane| state.deliveries().target(lane).is_err()).collect();
        if !gone.is_empty() {
            state.deliveries().keep_cursors(Vec::new(), gone).await?;
        }
        self.generation = Some(generation);
        self.recount.moved();
        Ok(())
    }

    /// Offers every event up to the head of the journal, then fills observers that lag behind; returns whether there
    /// was any event.
    async fn read_events(&mut self) -> Result<bool, StateError> {
        if !self.lanes.has_hooks() {
            self.scanned = self.app.journal().head().size;
            self.kept = self.scanned;
            return Ok(false);
        }
        let before = self.scanned;
        while self.scanned < self.app.journal().head().size {
            let mut kinds = self.lanes.kinds();
            kinds.push(EventKind::GatewayShutdown);
            let page = read_page(self.app.state(), self.scanned, kinds).await?;
            let next = page.next.as_ref().and_then(|query| query.from_sequence);
            self.scanned = next.unwrap_or(page.head.size);
            for event in page.events {
                let ends = event.event.kind == EventKind::GatewayShutdown;
                self.stop_delivered |= ends && event.leaf.sequence >= self.began_at;
                self.lanes.offer(&LaneItem::Event(Arc::new(event)));
            }
        }
        self.catch_up(LaneKind::Hook).await?;
        if self.scanned >= self.kept + KEEP_EVERY {
            self.keep_cursors().await?;
        }
        Ok(self.scanned > before)
    }

    /// Reads items for lanes of a kind that lag behind and have an empty queue.
    async fn catch_up(&mut self, kind: LaneKind) -> Result<(), StateError> {
        for key in self.lanes.behind(kind) {
            while let Some(lane) = self.lanes.get_mut(&key)
                && lane.queue.is_empty()
                && let Some(from) = lane.behind
            {
                let (items, behind) = read_items(self.app.state(), &lane.target, from, self.scanned).await?;
                lane.fill(items, behind);
            }
            self.lanes.list_again(&key);
        }
        Ok(())
    }

    /// Starts observers up to the maximum number; returns whether one was started.
    fn start_hooks(&mut self) -> bool {
        let before = self.running.len();
        while self.running.len() < self.pace.parallel(self.options.parallel)
            && let Some((key, item)) = self.lanes.take_ready(LaneKind::Hook)
        {
            self.start(key, item);
        }
        self.running.len() > before
    }

    fn start(&mut self, key: LaneKey, item: LaneItem) {
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        let (app, generation) = (Arc::clone(&self.app), self.generation);
        let (target, attempts, kind) = (lane.target.clone(), lane.attempts, key.kind);
        let delivery = async move {
            let began = Instant::now();
            let result = sinks::deliver(&app, &target, &item, attempts).await;
            Delivered { key, item, took: began.elapsed(), generation, result }
        };
        match kind {
            LaneKind::Hook => drop(self.running.spawn(delivery)),
            LaneKind::Channel => lane.sending = Some(AbortOnDrop(self.sending.spawn(delivery))),
        }
    }

    /// Advances a lane after a delivery, or handles its failure.
    async fn settle(&mut self, delivered: Delivered) -> Result<(), StateError> {
        let Delivered { key, item, generation, result, .. } = delivered;
        self.recount.moved();
        let Some(lane) = self.lanes.get_mut(&key) else { return Ok(()) };
        lane.busy = false;
        // The lane may have been removed and created again during the delivery.
        if lane.queue.front().is_none_or(|front| front.number() != item.number()) {
            self.lanes.list_again(&key);
            return Ok(());
        }
        match result.as_ref().map_err(Failure::from) {
            Ok(()) => lane.pass(item.number()),
            // An attempt that ends because the daemon stops is repeated by the next daemon.
            Err(Failure::Again { .. }) if self.deadline.is_some() => lane.held = true,
            Err(Failure::Hold(reason)) => {
                // A change of the state during the delivery may have removed the obstacle.
                lane.held = generation == self.generation;
                let attempts = lane.attempts;
                tracing::warn!(lane = %key, reason, "delivery paused until the state changes");
                self.app.deliveries().note_failure(&key, item.number(), attempts, None, &reason).await?;
            }
            Err(Failure::Again { reason, counts }) => {
                lane.attempts += u32::from(counts);
                let most = match &lane.target {
                    LaneTarget::Hook(binding) => binding.max_attempts(),
                    LaneTarget::Channel(_) => self.options.channel_attempts,
                };
                if counts && lane.attempts >= most {
                    self.give_up(&key, &item, &reason).await?
                } else {
                    self.try_again(&key, &item, &reason).await?
                }
            }
            Err(Failure::GiveUp(reason)) => self.give_up(&key, &item, &reason).await?,
        }
        self.lanes.list_again(&key);
        Ok(())
    }

    /// Schedules another attempt, with a longer delay after each failure.
    async fn try_again(&mut self, key: &LaneKey, item: &LaneItem, reason: &str) -> Result<(), StateError> {
        let Some(lane) = self.lanes.get_mut(key) else { return Ok(()) };
        let backoff = match key.kind {
            LaneKind::Hook => self.options.hooks,
            LaneKind::Channel => self.options.channels,
        };
        let wait = backoff.wait_after(lane.attempts);
        lane.retry_at = Some(Instant::now() + wait);
        let at_ms = self.app.now_ms().saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let (state, attempts) = (self.app.state(), lane.attempts);
        state.deliveries().note_failure(key, item.number(), attempts, Some(at_ms), reason).await
    }

    /// Moves the item to the dead letters, or holds the lane for a person if it has too many of them.
    async fn give_up(&mut self, key: &LaneKey, item: &LaneItem, reason: &str) -> Result<(), StateError> {
        let Some(lane) = self.lanes.get_mut(key) else { return Ok(()) };
        let (state, attempts) = (self.app.state(), lane.attempts);
        if state.deliveries().give_up(&lane.target, item, attempts, reason).await? {
            tracing::warn!(lane = %key, item = item.number(), attempts, reason, "delivery failed, moved to dead letters");
            lane.pass(item.number());
            return Ok(());
        }
        lane.held = true;
        let reason = format!("the limit on dead letters is reached: {reason}");
        state.deliveries().note_failure(key, item.number(), attempts, None, &reason).await
    }

    async fn keep_cursors(&mut self) -> Result<(), StateError> {
        self.kept = self.scanned;
        let moved = self.lanes.settle_idle(self.scanned);
        if moved.is_empty() { Ok(()) } else { self.app.deliveries().keep_cursors(moved, Vec::new()).await }
    }
}

/// Waits until a time, or forever if there is none.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

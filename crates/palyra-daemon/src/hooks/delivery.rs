//! The one task that reads the journal and has observers told.

use std::sync::Arc;

use palyra_journal::{EventKind, Follower, RecordedEvent};
use palyra_state::StateError;
use palyra_state::call::{CallError, HookInvocation};
use palyra_state::hooks::event_payload;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use super::DeliveryOptions;
use super::counts::Recount;
use super::failure::Failure;
use super::lane::QUEUE;
use super::lanes::Lanes;
use super::pace::Pace;
use super::reading::{read_cursors, read_page};
use crate::app::{App, until_stopping};
use crate::problem::sentence;

/// Cursors of observers that heard nothing are kept after so many events.
const KEEP_EVERY: u64 = 2_000;

/// Tells observers what happens, until the daemon stops.
pub(crate) async fn deliver(app: Arc<App>, options: DeliveryOptions) {
    let mut delivery = Delivery::new(app, options);
    if let Err(error) = delivery.run().await {
        tracing::error!(error = sentence(&error), "observers are not told any more");
    }
}

struct Delivery {
    app: Arc<App>,
    options: DeliveryOptions,
    follower: Follower,
    stopping: watch::Receiver<bool>,
    lanes: Lanes,
    /// The generation of the state the lanes follow.
    generation: Option<u64>,
    /// The first event nobody was offered yet.
    scanned: u64,
    /// Up to where idle cursors were kept.
    kept: u64,
    running: JoinSet<Delivered>,
    pace: Pace,
    recount: Recount,
    /// How long the journal was when it began: an older goodbye is another daemon's.
    began_at: u64,
    /// When it gives up after a stop began.
    deadline: Option<Instant>,
    stop_delivered: bool,
}

/// An observer that was told something.
struct Delivered {
    id: String,
    sequence: u64,
    took: Duration,
    /// The generation of the state when it began.
    generation: Option<u64>,
    result: Result<(), CallError>,
}

impl Delivery {
    fn new(app: Arc<App>, options: DeliveryOptions) -> Self {
        let (follower, stopping) = (app.state().journal().follow(), app.stopping());
        let began_at = app.state().journal().head().size;
        Self {
            app,
            options,
            follower,
            stopping,
            lanes: Lanes::default(),
            generation: None,
            scanned: 0,
            kept: 0,
            running: JoinSet::new(),
            pace: Pace::default(),
            recount: Recount::default(),
            began_at,
            deadline: None,
            stop_delivered: false,
        }
    }

    async fn run(&mut self) -> Result<(), StateError> {
        loop {
            // Whoever stops has no calls to be polite to.
            let rest = self.pace.rest_until().filter(|_| self.deadline.is_none());
            if rest.is_none() {
                self.work().await?;
            }
            if self.is_done() {
                return self.keep_cursors().await;
            }
            if self.recount.take() {
                self.app.hook_counts().set(self.lanes.count());
            }
            let (retry, deadline) = (self.lanes.next_retry(), self.deadline);
            let recount = self.recount.due();
            tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping), if deadline.is_none() => {
                    self.deadline = Some(Instant::now() + self.options.stop_grace);
                }
                Some(delivered) = self.running.join_next(), if !self.running.is_empty() => {
                    if let Ok(delivered) = delivered {
                        self.settle(delivered).await?;
                    }
                }
                () = until(rest), if rest.is_some() => {}
                head = self.follower.next(), if rest.is_none() => { head?; }
                () = until(retry), if retry.is_some() && rest.is_none() => self.lanes.relist(),
                () = until(recount), if recount.is_some() => {}
                () = until(deadline), if deadline.is_some() => return self.keep_cursors().await,
            }
        }
    }

    /// Follows what changed, reads what came, and has as many told as may be.
    async fn work(&mut self) -> Result<(), StateError> {
        let began = Instant::now();
        self.follow_changes().await?;
        let read = self.read_on().await?;
        if self.start_ready() || read {
            self.recount.moved();
        }
        if read {
            self.pace.worked(began.elapsed(), self.app.calls_begun());
        }
        Ok(())
    }

    /// Whether a stop began and everybody who can be told was told of it.
    fn is_done(&self) -> bool {
        self.deadline.is_some()
            && (self.stop_delivered || self.lanes.is_empty())
            && self.running.is_empty()
            && !self.lanes.has_ready()
    }

    /// Follows the bindings; any change of the state may let somebody run who could not.
    async fn follow_changes(&mut self) -> Result<(), StateError> {
        let view = self.app.state().view();
        if self.generation == Some(view.generation()) {
            return Ok(());
        }
        let cursors = read_cursors(self.app.state()).await?;
        let first_time = self.generation.is_none();
        self.lanes.follow(view.hooks(), &cursors, self.scanned, self.app.now_ms());
        if first_time {
            self.scanned = self.lanes.first().unwrap_or_else(|| self.app.state().journal().head().size);
            self.kept = self.scanned;
        }
        let gone = cursors.into_keys().filter(|id| view.hooks().get(id).is_none()).collect::<Vec<_>>();
        if !gone.is_empty() {
            self.app.state().keep_hook_cursors(Vec::new(), gone).await?;
        }
        self.generation = Some(view.generation());
        self.recount.moved();
        Ok(())
    }

    /// Offers everything up to the head of the journal, then fills up those that were behind; says whether there was any.
    async fn read_on(&mut self) -> Result<bool, StateError> {
        if self.lanes.is_empty() {
            self.scanned = self.app.state().journal().head().size;
            self.kept = self.scanned;
            return Ok(false);
        }
        let before = self.scanned;
        while self.scanned < self.app.state().journal().head().size {
            let mut kinds = self.lanes.kinds();
            kinds.push(EventKind::GatewayShutdown);
            let page = read_page(self.app.state(), self.scanned, kinds).await?;
            let next = page.next.as_ref().and_then(|query| query.from_sequence);
            self.scanned = next.unwrap_or(page.head.size);
            for event in page.events {
                let ends = event.event.kind == EventKind::GatewayShutdown;
                self.stop_delivered |= ends && event.leaf.sequence >= self.began_at;
                self.lanes.offer(event);
            }
        }
        for id in self.lanes.behind() {
            self.catch_up(&id).await?;
        }
        if self.scanned >= self.kept + KEEP_EVERY {
            self.keep_cursors().await?;
        }
        Ok(self.scanned > before)
    }

    /// Reads again from where a binding had no room.
    async fn catch_up(&mut self, id: &str) -> Result<(), StateError> {
        while let Some(lane) = self.lanes.get_mut(id)
            && let Some(from) = lane.behind
            && lane.queue.len() < QUEUE
        {
            let kinds = lane.kinds().to_vec();
            let page = read_page(self.app.state(), from, kinds).await?;
            let Some(lane) = self.lanes.get_mut(id) else { break };
            let next = page.next.as_ref().and_then(|query| query.from_sequence);
            // What came after the last scan is offered by the next one.
            lane.behind = next.filter(|next| *next < self.scanned);
            for event in page.events.into_iter().filter(|event| event.leaf.sequence < self.scanned) {
                if !lane.wants(&event) {
                    continue;
                }
                if lane.queue.len() >= QUEUE {
                    lane.behind = Some(event.leaf.sequence);
                    break;
                }
                lane.queue.push_back(Arc::new(event));
            }
        }
        self.lanes.list_again(id);
        Ok(())
    }

    /// Has as many told as may run at once; says whether there was any.
    fn start_ready(&mut self) -> bool {
        let before = self.running.len();
        while self.running.len() < self.pace.parallel(self.options.parallel) {
            let Some((id, event)) = self.lanes.take_ready() else { break };
            let Some(lane) = self.lanes.get_mut(&id) else { continue };
            let invocation = invocation(&lane.binding, &event);
            let (app, sequence) = (Arc::clone(&self.app), event.leaf.sequence);
            let generation = self.generation;
            self.running.spawn(async move {
                let began = Instant::now();
                let result = app.run_hook(invocation).await.map(drop);
                Delivered { id, sequence, took: began.elapsed(), generation, result }
            });
        }
        self.running.len() > before
    }

    /// What comes after an observer was told, or was not.
    async fn settle(&mut self, delivered: Delivered) -> Result<(), StateError> {
        let Delivered { id, sequence, took, generation, result } = delivered;
        self.pace.worked(took, self.app.calls_begun());
        self.recount.moved();
        let Some(lane) = self.lanes.get_mut(&id) else { return Ok(()) };
        lane.busy = false;
        // The binding may have begun anew while it was told.
        if lane.queue.front().is_none_or(|event| event.leaf.sequence != sequence) {
            self.lanes.list_again(&id);
            return Ok(());
        }
        match result.as_ref().map_err(Failure::from) {
            Ok(()) => lane.pass(sequence),
            Err(Failure::Hold(reason)) => {
                // What changed while it was refused may let it run.
                lane.held = generation == self.generation;
                let attempts = lane.attempts;
                tracing::warn!(binding = id, reason, "an observer waits for a change");
                self.app.state().note_hook_failure(&id, sequence, attempts, None, &reason).await?;
            }
            Err(Failure::Again { reason, counts }) => self.failed(&id, sequence, &reason, counts).await?,
        }
        self.lanes.list_again(&id);
        Ok(())
    }

    /// Tries again later, or puts the event aside.
    async fn failed(
        &mut self,
        id: &str,
        sequence: u64,
        reason: &str,
        counts: bool,
    ) -> Result<(), StateError> {
        let Some(lane) = self.lanes.get_mut(id) else { return Ok(()) };
        // What ends because the daemon does is tried again by the next one.
        if self.deadline.is_some() {
            lane.held = true;
            return Ok(());
        }
        lane.attempts += u32::from(counts);
        let (attempts, binding) = (lane.attempts, Arc::clone(&lane.binding));
        let state = self.app.state();
        if counts && attempts >= binding.max_attempts() {
            if state.add_dead_letter(&binding, sequence, attempts, reason).await? {
                tracing::warn!(binding = id, sequence, reason, "an event was put aside");
                lane.pass(sequence);
                return Ok(());
            }
            lane.held = true;
            let reason = format!("it has as many dead letters as it may: {reason}");
            return state.note_hook_failure(id, sequence, attempts, None, &reason).await;
        }
        let wait = self.options.wait_after(attempts.max(1));
        lane.retry_at = Some(Instant::now() + wait);
        let at_ms = self.app.now_ms().saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        state.note_hook_failure(id, sequence, attempts, Some(at_ms), reason).await
    }

    async fn keep_cursors(&mut self) -> Result<(), StateError> {
        self.kept = self.scanned;
        let moved = self.lanes.settle_idle(self.scanned);
        match moved.is_empty() {
            true => Ok(()),
            false => self.app.state().keep_hook_cursors(moved, Vec::new()).await,
        }
    }
}

fn invocation(
    binding: &Arc<palyra_state::hooks::HookBindingRecord>,
    event: &RecordedEvent,
) -> HookInvocation {
    HookInvocation {
        binding: Arc::clone(binding),
        payload: event_payload(binding.event, event),
        sequence: Some(event.leaf.sequence),
        delivers: true,
        cancel: None,
    }
}

/// Ends at a time, if there is one.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

//! The state of one lane: its queued items, and the reasons that block it.

use std::collections::VecDeque;

use palyra_journal::EventKind;
use palyra_state::deliveries::{DeliveryCursor, LaneItem, LaneKind, LaneTarget};
use palyra_state::hooks::is_of_hook;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// Maximum number of items of a lane in memory; later ones are read again.
const QUEUE: usize = 64;

/// One lane with its queue.
pub(super) struct Lane {
    pub(super) target: LaneTarget,
    /// Number of the first item that is neither delivered nor given up.
    pub(super) next: u64,
    /// Items to deliver, in order.
    pub(super) queue: VecDeque<LaneItem>,
    /// Number of the first item to read that is not in the queue; `None` if there is none.
    pub(super) behind: Option<u64>,
    /// True while the first item is being delivered.
    pub(super) busy: bool,
    /// True if the lane is in the list of ready lanes.
    pub(super) listed: bool,
    /// Number of attempts to deliver the first item.
    pub(super) attempts: u32,
    /// Time of the next attempt.
    pub(super) retry_at: Option<Instant>,
    /// True if it waits for a change of the state.
    pub(super) held: bool,
    /// Aborts a delivery to a channel when the lane is removed; the run of a hook continues to its receipt.
    pub(super) sending: Option<AbortOnDrop>,
}

/// Aborts a task when it is dropped.
pub(super) struct AbortOnDrop(pub(super) AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Lane {
    /// Creates a lane that begins at its cursor; items before `scanned` have to be read again.
    pub(super) fn new(
        target: LaneTarget,
        since: u64,
        cursor: Option<&DeliveryCursor>,
        scanned: u64,
        retry_at: Option<Instant>,
    ) -> Self {
        let next = cursor.map_or(since, |cursor| cursor.next.max(since));
        let goes_on = cursor.filter(|cursor| cursor.next >= since);
        let behind = match &target {
            LaneTarget::Hook(_) => (next < scanned).then_some(next),
            LaneTarget::Channel(_) => Some(next),
        };
        Self {
            target,
            next,
            queue: VecDeque::new(),
            behind,
            busy: false,
            listed: false,
            attempts: goes_on.map_or(0, |cursor| cursor.attempts),
            retry_at: goes_on.and(retry_at),
            held: false,
            sending: None,
        }
    }

    pub(super) fn kind(&self) -> LaneKind {
        match self.target {
            LaneTarget::Hook(_) => LaneKind::Hook,
            LaneTarget::Channel(_) => LaneKind::Channel,
        }
    }

    /// Returns the kinds of events it delivers.
    pub(super) fn kinds(&self) -> &'static [EventKind] {
        match &self.target {
            LaneTarget::Hook(binding) => binding.event.journalled_as(),
            LaneTarget::Channel(_) => &[],
        }
    }

    /// Returns whether it can continue with another target, because the same items are for both.
    pub(super) fn continues_as(&self, target: &LaneTarget) -> bool {
        match (&self.target, target) {
            (LaneTarget::Hook(old), LaneTarget::Hook(new)) => {
                old.event == new.event && old.skills == new.skills && old.tools == new.tools
            }
            (old, new) => old == new,
        }
    }

    /// Queues an item for this lane, or notes that it has to be read later.
    pub(super) fn offer(&mut self, item: &LaneItem) {
        if self.behind.is_some() || !self.wants(item) {
            return;
        }
        if self.queue.len() < QUEUE {
            self.queue.push_back(item.clone())
        } else {
            self.behind = Some(item.number())
        }
    }

    /// Adds items that were read for this lane, and the number at which to continue.
    pub(super) fn fill(&mut self, items: Vec<LaneItem>, behind: Option<u64>) {
        self.behind = None;
        items.iter().for_each(|item| self.offer(item));
        self.behind = self.behind.or(behind);
    }

    /// Marks the lane to read messages after those it has.
    pub(super) fn expect_messages(&mut self) {
        if self.kind() == LaneKind::Channel && self.behind.is_none() {
            self.behind = Some(self.queue.back().map_or(self.next, |item| item.number() + 1));
        }
    }

    /// Returns whether it can deliver an item now.
    pub(super) fn is_ready(&self, now: Instant) -> bool {
        !self.busy && !self.held && !self.queue.is_empty() && self.retry_at.is_none_or(|at| at <= now)
    }

    /// Returns whether every item up to now was delivered.
    pub(super) fn is_idle(&self) -> bool {
        !self.busy && self.queue.is_empty() && self.behind.is_none()
    }

    /// Removes the item in front from the queue and continues after it.
    pub(super) fn pass(&mut self, number: u64) {
        self.queue.pop_front();
        self.next = self.next.max(number + 1);
        self.attempts = 0;
        self.retry_at = None;
    }

    fn wants(&self, item: &LaneItem) -> bool {
        let is_for_it = match (&self.target, item) {
            (LaneTarget::Hook(binding), LaneItem::Event(recorded)) => {
                let event = &recorded.event;
                self.kinds().contains(&event.kind)
                    && !is_of_hook(event)
                    && binding.wants(event.skill.as_deref(), event.subject.as_deref())
            }
            (LaneTarget::Channel(_), LaneItem::Message(_)) => true,
            _ => false,
        };
        item.number() >= self.next && is_for_it
    }
}

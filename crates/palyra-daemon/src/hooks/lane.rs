//! One binding on its way through the journal: what it is told next, and what is in its way.

use std::collections::VecDeque;
use std::sync::Arc;

use palyra_journal::{EventKind, RecordedEvent};
use palyra_state::hooks::{HookBindingRecord, HookCursor, is_of_hook};
use tokio::time::Instant;

/// Events of one binding that are held in memory; what comes after them is read again from the journal.
pub(super) const QUEUE: usize = 64;

/// One binding on its way.
pub(super) struct Lane {
    pub(super) binding: Arc<HookBindingRecord>,
    /// The first event it was not told of.
    pub(super) next: u64,
    /// Events for it, in order.
    pub(super) queue: VecDeque<Arc<RecordedEvent>>,
    /// The first event that found no room.
    pub(super) behind: Option<u64>,
    /// Whether it is being told now.
    pub(super) busy: bool,
    /// Whether it is in the list of those that can be told.
    pub(super) listed: bool,
    /// How often the event in front failed.
    pub(super) attempts: u32,
    /// Before this it is not tried again.
    pub(super) retry_at: Option<Instant>,
    /// Whether it waits for a change of the state.
    pub(super) held: bool,
}

impl Lane {
    /// A lane that begins where its cursor stands; what was scanned before is read again.
    pub(super) fn new(
        binding: Arc<HookBindingRecord>,
        since: u64,
        cursor: Option<&HookCursor>,
        scanned: u64,
        retry_at: Option<Instant>,
    ) -> Self {
        let next = cursor.map_or(since, |cursor| cursor.next.max(since));
        let goes_on = cursor.filter(|cursor| cursor.next >= since);
        Self {
            binding,
            next,
            queue: VecDeque::new(),
            behind: (next < scanned).then_some(next),
            busy: false,
            listed: false,
            attempts: goes_on.map_or(0, |cursor| cursor.attempts),
            retry_at: goes_on.and(retry_at),
            held: false,
        }
    }

    /// The kinds of leaves it hears of.
    pub(super) fn kinds(&self) -> &'static [EventKind] {
        self.binding.event.journalled_as()
    }

    /// Whether an event is for it.
    pub(super) fn wants(&self, recorded: &RecordedEvent) -> bool {
        let event = &recorded.event;
        recorded.leaf.sequence >= self.next
            && self.kinds().contains(&event.kind)
            && !is_of_hook(event)
            && self.binding.wants(event.skill.as_deref(), event.subject.as_deref())
    }

    /// Takes an event that is for it, or remembers from where on to read again.
    pub(super) fn offer(&mut self, recorded: &Arc<RecordedEvent>) {
        if self.behind.is_some() || !self.wants(recorded) {
            return;
        }
        match self.queue.len() < QUEUE {
            true => self.queue.push_back(Arc::clone(recorded)),
            false => self.behind = Some(recorded.leaf.sequence),
        }
    }

    /// Whether it can be told something now.
    pub(super) fn is_ready(&self, now: Instant) -> bool {
        !self.busy && !self.held && !self.queue.is_empty() && self.retry_at.is_none_or(|at| at <= now)
    }

    /// Whether everything for it up to here was told.
    pub(super) fn is_idle(&self) -> bool {
        !self.busy && self.queue.is_empty() && self.behind.is_none()
    }

    /// Moves past the event in front.
    pub(super) fn pass(&mut self, sequence: u64) {
        self.queue.pop_front();
        self.next = self.next.max(sequence + 1);
        self.attempts = 0;
        self.retry_at = None;
    }
}

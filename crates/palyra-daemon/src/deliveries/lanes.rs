//! The set of lanes, and which of them are ready to deliver.

use std::collections::{BTreeMap, VecDeque};

use palyra_journal::EventKind;
use palyra_state::deliveries::{self, DeliveryCursor, LaneItem, LaneKey, LaneKind};
use tokio::time::{Duration, Instant};

use super::counts::LaneCounts;
use super::lane::Lane;

/// Maximum wait that is taken over from a stored cursor, in milliseconds.
const MAX_WAIT_MS: u64 = 3_600_000;

/// All lanes, by name.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: BTreeMap<LaneKey, Lane>,
    /// The lanes that can deliver something, longest waiting first.
    ready: BTreeMap<LaneKind, VecDeque<LaneKey>>,
}

impl Lanes {
    pub(super) fn get_mut(&mut self, key: &LaneKey) -> Option<&mut Lane> {
        self.lanes.get_mut(key)
    }

    pub(super) fn has_hooks(&self) -> bool {
        self.hooks().next().is_some()
    }

    /// Returns the kinds of events that observers are bound to.
    pub(super) fn kinds(&self) -> Vec<EventKind> {
        let mut kinds: Vec<EventKind> = self.lanes.values().flat_map(Lane::kinds).copied().collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Returns the smallest cursor of an observer.
    pub(super) fn first_event(&self) -> Option<u64> {
        self.hooks().map(|(_, lane)| lane.next).min()
    }

    /// Applies a change of the state: adds and removes lanes, and releases those that wait for a change.
    pub(super) fn follow(
        &mut self,
        in_use: Vec<deliveries::Lane>,
        cursors: &BTreeMap<LaneKey, DeliveryCursor>,
        scanned: u64,
        now_ms: u64,
    ) {
        let mut old = std::mem::take(&mut self.lanes);
        for deliveries::Lane { target, since } in in_use {
            let key = target.key();
            let known = old.remove(&key).filter(|lane| lane.next >= since && lane.continues_as(&target));
            let lane = match known {
                Some(lane) => Lane { target, held: false, ..lane },
                None => {
                    let cursor = cursors.get(&key);
                    let retry_at_ms = cursor.and_then(|cursor| cursor.retry_at_ms);
                    let wait = retry_at_ms.map(|at| at.saturating_sub(now_ms).min(MAX_WAIT_MS));
                    let retry_at = wait.map(|wait| Instant::now() + Duration::from_millis(wait));
                    Lane::new(target, since, cursor, scanned, retry_at)
                }
            };
            self.lanes.insert(key, lane);
        }
        self.relist();
    }

    /// Removes every channel, which ends its delivery.
    pub(super) fn remove_channels(&mut self) {
        self.lanes.retain(|key, _| key.kind == LaneKind::Hook);
        self.ready.remove(&LaneKind::Channel);
    }

    /// Offers an item to all lanes.
    pub(super) fn offer(&mut self, item: &LaneItem) {
        self.each(|lane| lane.offer(item));
    }

    /// Marks all channels to read new messages.
    pub(super) fn expect_messages(&mut self) {
        self.each(Lane::expect_messages);
    }

    /// Lists all lanes that can deliver something, such as those whose delay is over.
    pub(super) fn relist(&mut self) {
        self.each(|_| {});
    }

    /// Lists a lane if it can deliver something.
    pub(super) fn list_again(&mut self, key: &LaneKey) {
        if let Some(lane) = self.lanes.get_mut(key) {
            list(&mut self.ready, key, lane);
        }
    }

    /// Returns the lanes of a kind that lag behind and have an empty queue.
    pub(super) fn behind(&self, kind: LaneKind) -> Vec<LaneKey> {
        let reads =
            |key: &LaneKey, lane: &Lane| key.kind == kind && lane.behind.is_some() && lane.queue.is_empty();
        self.lanes.iter().filter(|(key, lane)| reads(key, lane)).map(|(key, _)| key.clone()).collect()
    }

    /// Removes the longest waiting lane from the list of a kind, and marks it as busy.
    pub(super) fn take_ready(&mut self, kind: LaneKind) -> Option<(LaneKey, LaneItem)> {
        let now = Instant::now();
        while let Some(key) = self.ready.get_mut(&kind)?.pop_front() {
            let Some(lane) = self.lanes.get_mut(&key) else { continue };
            lane.listed = false;
            if !lane.is_ready(now) {
                continue;
            }
            let Some(item) = lane.queue.front().cloned() else { continue };
            lane.busy = true;
            return Some((key, item));
        }
        None
    }

    pub(super) fn has_ready(&self) -> bool {
        self.ready.values().any(|ready| !ready.is_empty())
    }

    /// Returns when the next waiting lane has to be retried.
    pub(super) fn next_retry(&self) -> Option<Instant> {
        let waits = |lane: &&Lane| !lane.busy && !lane.held && !lane.listed && !lane.queue.is_empty();
        self.lanes.values().filter(waits).filter_map(|lane| lane.retry_at).min()
    }

    /// Counts observers by state.
    pub(super) fn count_hooks(&self) -> LaneCounts {
        let mut counts = LaneCounts::default();
        let now = Instant::now();
        for (_, lane) in self.hooks() {
            counts.events += lane.queue.len();
            let of = match lane {
                lane if lane.busy => &mut counts.running,
                lane if lane.held => &mut counts.held,
                lane if lane.is_idle() => &mut counts.idle,
                lane if lane.retry_at.is_some_and(|at| at > now) => &mut counts.retrying,
                _ => &mut counts.waiting,
            };
            *of += 1;
        }
        counts
    }

    /// Advances idle observers to an event; returns their new positions.
    pub(super) fn settle_idle(&mut self, scanned: u64) -> Vec<(LaneKey, u64)> {
        let mut moved = Vec::new();
        for (key, lane) in &mut self.lanes {
            if lane.kind() == LaneKind::Hook && lane.is_idle() && lane.next < scanned {
                lane.next = scanned;
                moved.push((key.clone(), scanned));
            }
        }
        moved
    }

    fn hooks(&self) -> impl Iterator<Item = (&LaneKey, &Lane)> {
        self.lanes.iter().filter(|(key, _)| key.kind == LaneKind::Hook)
    }

    /// Applies a change to all lanes, and lists those that can deliver afterwards.
    fn each(&mut self, change: impl Fn(&mut Lane)) {
        for (key, lane) in &mut self.lanes {
            change(lane);
            list(&mut self.ready, key, lane);
        }
    }
}

fn list(ready: &mut BTreeMap<LaneKind, VecDeque<LaneKey>>, key: &LaneKey, lane: &mut Lane) {
    if !lane.listed && lane.is_ready(Instant::now()) {
        lane.listed = true;
        ready.entry(key.kind).or_default().push_back(key.clone());
    }
}

//! All bindings on their way, and which of them can be told something.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use palyra_journal::{EventKind, RecordedEvent};
use palyra_state::hooks::{HookCursor, HookIndex};
use tokio::time::{Duration, Instant};

use super::counts::LaneCounts;
use super::lane::Lane;

/// Every observer, by the id of its binding.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: BTreeMap<String, Lane>,
    /// Those that can be told something, whoever waits longest first.
    ready: VecDeque<String>,
}

impl Lanes {
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Lane> {
        self.lanes.get_mut(id)
    }

    /// The kinds of leaves anybody hears of.
    pub(super) fn kinds(&self) -> Vec<EventKind> {
        let mut kinds: Vec<EventKind> = self.lanes.values().flat_map(|lane| lane.kinds()).copied().collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The smallest cursor.
    pub(super) fn first(&self) -> Option<u64> {
        self.lanes.values().map(|lane| lane.next).min()
    }

    /// Follows a change of the bindings; those that wait for a change wait no more. Gives the ids that are gone.
    pub(super) fn follow(
        &mut self,
        index: &HookIndex,
        cursors: &BTreeMap<String, HookCursor>,
        scanned: u64,
        now_ms: u64,
    ) {
        let mut old = std::mem::take(&mut self.lanes);
        let observers =
            index.all().iter().filter(|entry| entry.binding.enabled && !entry.binding.event.is_gate());
        for entry in observers {
            let id = entry.binding.id.clone();
            let known =
                old.remove(&id).filter(|lane| lane.next >= entry.since && same_way(lane, &entry.binding));
            let lane = match known {
                Some(lane) => Lane { binding: Arc::clone(&entry.binding), held: false, ..lane },
                None => {
                    let cursor = cursors.get(&id);
                    let wait =
                        cursor.and_then(|cursor| cursor.retry_at_ms).map(|at| at.saturating_sub(now_ms));
                    let retry_at =
                        wait.map(|wait| Instant::now() + Duration::from_millis(wait.min(3_600_000)));
                    Lane::new(Arc::clone(&entry.binding), entry.since, cursor, scanned, retry_at)
                }
            };
            self.lanes.insert(id, lane);
        }
        self.relist();
    }

    /// Offers an event to everybody.
    pub(super) fn offer(&mut self, recorded: RecordedEvent) {
        let recorded = Arc::new(recorded);
        for (id, lane) in &mut self.lanes {
            lane.offer(&recorded);
            list(&mut self.ready, id, lane);
        }
    }

    /// Those that have room and are behind.
    pub(super) fn behind(&self) -> Vec<String> {
        let hungry = |lane: &Lane| lane.behind.is_some() && lane.queue.is_empty();
        self.lanes.iter().filter(|(_, lane)| hungry(lane)).map(|(id, _)| id.clone()).collect()
    }

    /// Puts a binding back into the list, if it can be told something.
    pub(super) fn list_again(&mut self, id: &str) {
        if let Some(lane) = self.lanes.get_mut(id) {
            list(&mut self.ready, id, lane);
        }
    }

    /// Puts everybody into the list who can be told something, such as one whose time to wait is over.
    pub(super) fn relist(&mut self) {
        for (id, lane) in &mut self.lanes {
            list(&mut self.ready, id, lane);
        }
    }

    /// Takes whoever waits longest and can be told something.
    pub(super) fn take_ready(&mut self) -> Option<(String, Arc<RecordedEvent>)> {
        let now = Instant::now();
        while let Some(id) = self.ready.pop_front() {
            let Some(lane) = self.lanes.get_mut(&id) else { continue };
            lane.listed = false;
            if !lane.is_ready(now) {
                continue;
            }
            let Some(event) = lane.queue.front().cloned() else { continue };
            lane.busy = true;
            return Some((id, event));
        }
        None
    }

    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// When the next one is tried again.
    pub(super) fn next_retry(&self) -> Option<Instant> {
        let waits = |lane: &&Lane| !lane.busy && !lane.held && !lane.queue.is_empty();
        self.lanes.values().filter(waits).filter_map(|lane| lane.retry_at).min()
    }

    /// How many are in which state.
    pub(super) fn count(&self) -> LaneCounts {
        let mut counts = LaneCounts::default();
        let now = Instant::now();
        for lane in self.lanes.values() {
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

    /// Moves everybody up to here who has nothing before it; gives where they stand now.
    pub(super) fn settle_idle(&mut self, scanned: u64) -> Vec<(String, u64)> {
        let mut moved = Vec::new();
        for (id, lane) in &mut self.lanes {
            if lane.is_idle() && lane.next < scanned {
                lane.next = scanned;
                moved.push((id.clone(), scanned));
            }
        }
        moved
    }
}

fn same_way(lane: &Lane, binding: &palyra_state::hooks::HookBindingRecord) -> bool {
    let known = &lane.binding;
    known.event == binding.event && known.skills == binding.skills && known.tools == binding.tools
}

fn list(ready: &mut VecDeque<String>, id: &str, lane: &mut Lane) {
    if !lane.listed && lane.is_ready(Instant::now()) {
        lane.listed = true;
        ready.push_back(id.to_owned());
    }
}

//! Log lines and messages of a run: numbered, bounded, and readable by followers while it runs.
//!
//! Lines are stored once, and each follower reads them at its own pace: a slow one never blocks a guest. The
//! stored lines of a finished run have the same numbers, so a follower that lost its connection continues
//! after the last line it read, even if the run has ended.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::sync::Notify;

use super::MAX_EVENTS;

/// Number of lines after the stored ones that are buffered for followers.
const MAX_RECENT: usize = 256;

/// One item of a run's live output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "update")]
pub enum RunUpdate {
    /// A log line, or a published message.
    Line {
        /// Number of the line in the run, starting at 0.
        number: u64,
        /// `log` or `channel`.
        kind: String,
        /// Text of the line, escaped and truncated.
        text: String,
    },
    /// The follower was too slow, and lines were dropped before it read them.
    Missed {
        /// Number of dropped lines.
        lines: u64,
    },
    /// The run ended and its receipt is committed.
    Finished {
        /// Final status of the run.
        status: String,
    },
}

/// The kind of a line and its text.
pub type RunLine = (&'static str, String);

/// The output of one run, shared with its followers.
#[derive(Debug, Default)]
pub struct RunEvents {
    lines: Mutex<Lines>,
    /// Wakes followers when a line is added or the run ends.
    more: Notify,
}

#[derive(Debug, Default)]
struct Lines {
    /// The first [`MAX_EVENTS`] lines, which are stored with the run.
    kept: Vec<RunLine>,
    /// The newest lines after those.
    recent: VecDeque<RunLine>,
    count: u64,
    /// `Some` once no more lines follow.
    end: Option<End>,
}

/// Final status of a run; `None` if its writer was dropped before the run finished.
type End = Option<&'static str>;

/// Reads the output of a run, starting at a given line.
#[derive(Debug)]
pub struct RunFollower {
    events: Arc<RunEvents>,
    next: u64,
    ended: bool,
}

impl RunEvents {
    /// Adds a line without waiting for followers.
    pub(super) fn say(&self, line: RunLine) {
        self.lines().push(line);
        self.more.notify_waiters();
    }

    /// Returns the lines to store with their numbers. If lines were dropped, the last one says how many,
    /// under the last number.
    pub fn to_keep(&self) -> Vec<(u64, RunLine)> {
        let lines = self.lines();
        let more = lines.count.saturating_sub(MAX_EVENTS as u64);
        let fit = if more > 0 { MAX_EVENTS - 1 } else { MAX_EVENTS };
        let mut kept: Vec<(u64, RunLine)> = (0..).zip(lines.kept.iter().take(fit).cloned()).collect();
        if more > 0 {
            kept.push((lines.count - 1, ("log", format!("{} more lines were dropped", more + 1))));
        }
        kept
    }

    /// Ends the output after the receipt is committed.
    pub fn finish(&self, status: &'static str) {
        self.lines().end = Some(Some(status));
        self.more.notify_waiters();
    }

    /// Ends the output without a status, unless [`Self::finish`] already did.
    pub(super) fn close(&self) {
        self.lines().end.get_or_insert(None);
        self.more.notify_waiters();
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock()
    }
}

impl Lines {
    fn push(&mut self, line: RunLine) {
        if self.kept.len() < MAX_EVENTS {
            self.kept.push(line);
        } else {
            if self.recent.len() == MAX_RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(line);
        }
        self.count += 1;
    }

    /// Returns the line with this number, or how many lines are missing before the next available one.
    fn at(&self, number: u64) -> Result<&RunLine, u64> {
        let first_recent = self.count - self.recent.len() as u64;
        if let Some(line) = usize::try_from(number).ok().and_then(|number| self.kept.get(number)) {
            return Ok(line);
        }
        let within = number.checked_sub(first_recent).and_then(|place| usize::try_from(place).ok());
        within.and_then(|place| self.recent.get(place)).ok_or(first_recent.saturating_sub(number))
    }
}

impl RunFollower {
    /// Creates a follower that starts after the line with this number, or at the first line.
    pub(super) fn new(events: Arc<RunEvents>, after: Option<u64>) -> Self {
        Self { events, next: after.map_or(0, |after| after.saturating_add(1)), ended: false }
    }

    /// Waits for the next update; returns `None` once the run has ended or its writer is dropped.
    ///
    /// Cancel safe: no update is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<RunUpdate> {
        let events = Arc::clone(&self.events);
        loop {
            // Registers before reading, so that a line added in between still wakes it.
            let mut more = pin!(events.more.notified());
            more.as_mut().enable();
            match self.read(&events.lines()) {
                Read::Update(update) => return Some(update),
                Read::Over => return None,
                Read::Nothing => {}
            }
            more.await;
        }
    }

    fn read(&mut self, lines: &Lines) -> Read {
        if self.next < lines.count {
            return Read::Update(self.line(lines));
        }
        match lines.end {
            None => Read::Nothing,
            Some(Some(status)) if !std::mem::replace(&mut self.ended, true) => {
                Read::Update(RunUpdate::Finished { status: status.into() })
            }
            Some(_) => Read::Over,
        }
    }

    fn line(&mut self, lines: &Lines) -> RunUpdate {
        match lines.at(self.next) {
            Ok((kind, text)) => {
                let number = self.next;
                self.next += 1;
                RunUpdate::Line { number, kind: (*kind).into(), text: text.clone() }
            }
            Err(missed) => {
                self.next += missed.max(1);
                RunUpdate::Missed { lines: missed.max(1) }
            }
        }
    }
}

/// Result of one attempt to read.
enum Read {
    Update(RunUpdate),
    Nothing,
    Over,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn events(count: usize) -> Arc<RunEvents> {
        let events = Arc::new(RunEvents::default());
        (0..count).for_each(|number| events.say(("log", format!("line {number}"))));
        events
    }

    async fn read(follower: &mut RunFollower) -> (Vec<u64>, u64) {
        let (mut numbers, mut missed) = (Vec::new(), 0);
        while let Some(update) = follower.next().await {
            match update {
                RunUpdate::Line { number, text, .. } => {
                    assert_eq!(text, format!("line {number}"));
                    numbers.push(number);
                }
                RunUpdate::Missed { lines } => missed += lines,
                RunUpdate::Finished { status } => assert_eq!(status, "completed"),
            }
        }
        (numbers, missed)
    }

    #[tokio::test]
    async fn a_follower_goes_on_after_the_line_it_saw_last() {
        let events = events(3);
        let mut first = RunFollower::new(Arc::clone(&events), None);
        let line = |number| RunUpdate::Line { number, kind: "log".into(), text: format!("line {number}") };
        assert_eq!(first.next().await.unwrap(), line(0));
        let mut again = RunFollower::new(Arc::clone(&events), Some(0));
        assert_eq!(again.next().await.unwrap(), line(1));
        assert_eq!(again.next().await.unwrap(), line(2));
        events.say(("log", "line 3".into()));
        assert_eq!(again.next().await.unwrap(), line(3));
        events.finish("completed");
        assert_eq!(read(&mut again).await, (vec![], 0));
        assert_eq!(read(&mut first).await, (vec![1, 2, 3], 0));
        assert_eq!(read(&mut RunFollower::new(events, Some(u64::MAX))).await, (vec![], 0));
    }

    #[tokio::test]
    async fn slow_follower_misses_lines_and_blocks_no_writer() {
        let events = events(5_000);
        let mut slow = RunFollower::new(Arc::clone(&events), None);
        events.finish("completed");
        let (numbers, missed) = read(&mut slow).await;
        assert_eq!(numbers.len(), MAX_EVENTS + MAX_RECENT);
        assert_eq!(numbers.len() as u64 + missed, 5_000);
        assert_eq!((numbers[MAX_EVENTS - 1], numbers.last()), (MAX_EVENTS as u64 - 1, Some(&4_999)));
    }

    #[tokio::test]
    async fn what_is_kept_has_the_numbers_followers_saw() {
        let all = events(MAX_EVENTS).to_keep();
        assert_eq!((all.len(), all[MAX_EVENTS - 1].0), (MAX_EVENTS, MAX_EVENTS as u64 - 1));
        let some = events(MAX_EVENTS + 7).to_keep();
        assert_eq!(some.len(), MAX_EVENTS);
        let (number, (_, text)) = some.last().unwrap();
        assert_eq!((*number, text.as_str()), (MAX_EVENTS as u64 + 6, "8 more lines were dropped"));
        let closed = events(1);
        closed.close();
        let mut follower = RunFollower::new(closed, None);
        assert!(matches!(follower.next().await, Some(RunUpdate::Line { number: 0, .. })));
        assert_eq!(follower.next().await, None);
    }
}

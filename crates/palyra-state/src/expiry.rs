//! Monotonic wall-clock time for the expiry of tokens and approvals.
//!
//! A clock that is set back would make an expired token or approval valid again. The latest time seen is
//! stored in the database, so that a restart does not forget it.

use std::sync::Arc;
use std::time::Instant;

use palyra_journal::{Durability, JournalError, JournalTransaction};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension};

use crate::db::RowKey;
use crate::state::State;

/// Row of `meta` with the latest time, as its MAC names it.
const ROW: &str = "latest_time";
/// Minimum increase in milliseconds before the latest time is written again, to limit writes.
const KEEP_EVERY_MS: u64 = 60_000;

/// The latest time, shared by all threads.
#[derive(Debug, Default)]
pub(crate) struct ExpiryClock(Mutex<Times>);

#[derive(Debug, Default, Clone, Copy)]
struct Times {
    /// Time used for expiry.
    latest: u64,
    /// When the clock was first seen behind `latest`, and `latest` at that moment: elapsed time is added to
    /// it from there.
    behind: Option<(Instant, u64)>,
    /// The latest time that is in the database.
    kept: u64,
}

impl ExpiryClock {
    /// Reads the time from the database; a value with an invalid MAC is logged and ignored.
    pub(crate) fn read(connection: &Connection, key: &RowKey) -> rusqlite::Result<Self> {
        let sql = "SELECT value FROM meta WHERE name = ?1";
        let value: Option<Vec<u8>> = connection.query_row(sql, [ROW], |row| row.get(0)).optional()?;
        let kept = value.map_or(Some(0), |value| opened(key, &value));
        if kept.is_none() {
            tracing::error!("the latest time in the database has an invalid MAC (modified outside Palyra)");
        }
        let kept = kept.unwrap_or(0);
        Ok(Self(Mutex::new(Times { latest: kept, behind: None, kept })))
    }

    /// Updates the time from the clock; returns the time for expiry, and whether it should be written to the database.
    fn advance(&self, clock: u64, at: Instant) -> (u64, bool) {
        let mut times = self.0.lock();
        if clock >= times.latest {
            (times.latest, times.behind) = (clock, None);
        } else {
            let latest = times.latest;
            let (since, latest) = *times.behind.get_or_insert((at, latest));
            let passed = u64::try_from(at.duration_since(since).as_millis()).unwrap_or(u64::MAX);
            times.latest = latest.saturating_add(passed);
        }
        let keep = times.latest >= times.kept.saturating_add(KEEP_EVERY_MS);
        if keep {
            times.kept = times.latest;
        }
        (times.latest, keep)
    }

    /// Returns whether the database has an earlier time than `at_ms`, and marks the latest time as written.
    fn learns(&self, at_ms: u64) -> bool {
        let mut times = self.0.lock();
        let learns = times.kept < at_ms;
        if learns {
            times.kept = times.latest;
        }
        learns
    }
}

impl State {
    /// Returns the time for everything that expires, in Unix milliseconds: never earlier than a time seen
    /// before, also by an earlier process.
    pub fn expiry_now_ms(&self) -> u64 {
        let (now, keep) = self.expiry.advance(self.now_ms(), Instant::now());
        if keep {
            self.keep_latest_time(now);
        }
        now
    }

    /// Returns whether a time has passed. Once true it stays true, even if the clock is set back or the
    /// process restarts.
    pub(crate) fn has_passed(&self, at_ms: u64) -> bool {
        let now = self.expiry_now_ms();
        if now < at_ms {
            return false;
        }
        if self.expiry.learns(at_ms) {
            self.keep_latest_time(now);
        }
        true
    }

    /// Queues the write without waiting for it, because reading the time must not block.
    fn keep_latest_time(&self, latest: u64) {
        let key = Arc::clone(&self.row_key);
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
            let written = transaction.sql().execute(sql, rusqlite::params![ROW, sealed(&key, latest)]);
            written.map(drop).map_err(JournalError::sqlite("keep the latest time"))
        };
        drop(self.journal.transaction::<(), JournalError>(Durability::Normal, work));
    }
}

fn sealed(key: &RowKey, latest: u64) -> Vec<u8> {
    let bytes = latest.to_be_bytes();
    [bytes.as_slice(), &key.seal_in("meta", ROW, &bytes)].concat()
}

fn opened(key: &RowKey, value: &[u8]) -> Option<u64> {
    let (bytes, mac) = value.split_first_chunk::<8>()?;
    key.check_in("meta", ROW, bytes, mac).ok()?;
    Some(u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back_and_goes_on_behind_a_clock_that_did() {
        let (clock, start) = (ExpiryClock::default(), Instant::now());
        let after = |ms| start + std::time::Duration::from_millis(ms);
        assert_eq!(clock.advance(1_000_000, start), (1_000_000, true));
        assert_eq!(clock.advance(1_000_500, start), (1_000_500, false));
        assert_eq!(clock.advance(400_000, start), (1_000_500, false), "set back");
        assert_eq!(clock.advance(400_000, after(700)), (1_001_200, false), "what passes still passes");
        assert_eq!(
            clock.advance(2_000_000, after(700)),
            (2_000_000, true),
            "and a clock set right is followed"
        );
    }
}

//! Runs over time, counted by the database.

use rusqlite::{Connection, Row, params};

use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::runs::RunStore;
use crate::text::first_id_at;

/// How far the time in an id and that of its row may be apart: earlier versions looked at the clock twice.
const CLOCK_SLACK_MS: u64 = 60_000;

/// Which runs are counted, and how finely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityQuery {
    /// Start of the first bucket, in Unix milliseconds.
    pub since_ms: u64,
    /// How long each is; not 0.
    pub bucket_ms: u64,
    /// How many there are.
    pub buckets: usize,
    /// Filter by skill.
    pub skill_id: Option<String>,
}

/// The runs that began within one bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActivityCount {
    /// All of them.
    pub calls: u64,
    /// Those that ended without a result.
    pub failed: u64,
    /// Number of denied runs.
    pub denied: u64,
}

impl RunStore<'_> {
    /// Counts runs by when they began, oldest bucket first. Blocks the calling thread.
    pub fn activity(&self, query: &ActivityQuery) -> Result<Vec<ActivityCount>, StateError> {
        let counted = self.state.read("count runs", |connection| count(connection, query))?;
        let mut buckets = vec![ActivityCount::default(); query.buckets];
        for (index, found) in counted {
            if let Some(bucket) = usize::try_from(index).ok().and_then(|index| buckets.get_mut(index)) {
                *bucket = found;
            }
        }
        Ok(buckets)
    }
}

/// Ids of runs sort by time, so that only the rows of the window are read.
fn count(connection: &Connection, query: &ActivityQuery) -> rusqlite::Result<Vec<(u64, ActivityCount)>> {
    let ActivityQuery { since_ms, bucket_ms, buckets, skill_id } = query;
    let until_ms = since_ms.saturating_add(bucket_ms.saturating_mul(*buckets as u64));
    let sql =
        "SELECT (started_at - ?1) / ?2, count(*), sum(status IN ('failed', 'cancelled', 'interrupted')),
                      sum(coalesce(error, '') = 'capability_denied')
               FROM runs
               WHERE run_id >= ?3 AND run_id < ?4 AND started_at >= ?1 AND started_at < ?5
                 AND (?6 IS NULL OR skill_id = ?6)
               GROUP BY 1";
    let from = first_id_at("run", since_ms.saturating_sub(CLOCK_SLACK_MS));
    let to = first_id_at("run", until_ms.saturating_add(CLOCK_SLACK_MS));
    let values =
        params![signed(*since_ms), signed((*bucket_ms).max(1)), from, to, signed(until_ms), skill_id];
    let read = |row: &Row<'_>| {
        let number = |index| row.get(index).map(unsigned);
        Ok((number(0)?, ActivityCount { calls: number(1)?, failed: number(2)?, denied: number(3)? }))
    };
    connection.prepare_cached(sql)?.query_map(values, read)?.collect()
}

//! Runs over time, counted by the database.

use rusqlite::{Connection, Row, params};

use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::runs::RunStore;
use crate::text::first_id_at;

/// Tolerance between the time in a run id and `started_at`: earlier versions read the clock once for each.
const CLOCK_SLACK_MS: u64 = 60_000;

/// Selects the runs to count and the buckets to count them in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityQuery {
    /// Start of the first bucket, in Unix milliseconds.
    pub since_ms: u64,
    /// Length of a bucket in milliseconds; 0 is read as 1.
    pub bucket_ms: u64,
    /// Number of buckets, and the length of the answer.
    pub buckets: usize,
    /// Counts only the runs of this skill.
    pub skill_id: Option<String>,
}

/// Counts of the runs that began within one bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActivityCount {
    /// Runs of any status, including those still running.
    pub calls: u64,
    /// Runs with status `failed`, `cancelled` or `interrupted`.
    pub failed: u64,
    /// Runs that ended with the error `capability_denied`.
    pub denied: u64,
}

impl RunStore<'_> {
    /// Counts runs by start time, oldest bucket first; a bucket without runs is all zeros. Blocks the calling thread.
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

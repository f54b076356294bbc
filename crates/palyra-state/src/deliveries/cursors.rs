//! The delivery position of each lane.

pub use palyra_common::model::deliveries::DeliveryCursor;

use std::collections::BTreeMap;

use palyra_common::text::clip_untrusted;
use palyra_journal::{EventKind, JournalError, JournalTransaction, NewEvent};
use rusqlite::{Connection, params};
use serde_json::json;

use super::{DeliveryStore, LaneKey, LaneKind, MAX_REASON};
use crate::channels::PublishedMessage;
use crate::db::{signed, unsigned};
use crate::error::StateError;

impl DeliveryStore<'_> {
    /// Returns the cursor of every lane that has one.
    pub fn cursors(&self) -> Result<BTreeMap<LaneKey, DeliveryCursor>, StateError> {
        self.state.read("read cursors", |connection| {
            let sql = "SELECT kind, lane, next, attempts, retry_at, error, delivered FROM delivery_cursors";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                let cursor = DeliveryCursor {
                    next: unsigned(row.get(2)?),
                    attempts: u32::try_from(row.get::<_, i64>(3)?).unwrap_or(u32::MAX),
                    retry_at_ms: row.get::<_, Option<i64>>(4)?.map(unsigned),
                    error: row.get(5)?,
                    delivered: unsigned(row.get(6)?),
                };
                Ok((LaneKey { kind: row.get(0)?, name: row.get(1)? }, cursor))
            })?;
            rows.collect()
        })
    }

    /// Moves cursors past items that do not concern their lanes, and removes every row of removed lanes.
    pub async fn keep_cursors(
        &self,
        moved: Vec<(LaneKey, u64)>,
        gone: Vec<LaneKey>,
    ) -> Result<(), StateError> {
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT INTO delivery_cursors (kind, lane, next) VALUES (?1, ?2, ?3)
                       ON CONFLICT (kind, lane) DO UPDATE SET next = max(next, ?3)";
            let write = || -> rusqlite::Result<()> {
                let mut put = transaction.sql().prepare_cached(sql)?;
                for (lane, next) in &moved {
                    put.execute(params![lane.kind, lane.name, signed(*next)])?;
                }
                gone.iter().try_for_each(|lane| forget(transaction.sql(), lane))
            };
            write().map_err(JournalError::sqlite("keep cursors"))
        };
        self.write(write).await
    }

    /// Records an attempt before it is made: nothing is sent that is not recorded first.
    pub async fn begin(&self, lane: &LaneKey, item: u64, attempts: u32) -> Result<(), StateError> {
        let lane = lane.clone();
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT INTO delivery_cursors (kind, lane, next, attempts) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (kind, lane) DO UPDATE SET next = max(next, ?3), attempts = ?4, retry_at = NULL";
            let values = params![lane.kind, lane.name, signed(item), attempts];
            let done = transaction.sql().prepare_cached(sql).and_then(|mut put| put.execute(values));
            done.map(drop).map_err(JournalError::sqlite("begin a delivery"))
        };
        self.write(write).await
    }

    /// Records why an item failed, or why its lane waits, and the time of the next attempt.
    pub async fn note_failure(
        &self,
        lane: &LaneKey,
        item: u64,
        attempts: u32,
        retry_at_ms: Option<u64>,
        reason: &str,
    ) -> Result<(), StateError> {
        let (lane, reason) = (lane.clone(), clip_untrusted(reason, MAX_REASON));
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT INTO delivery_cursors (kind, lane, next, attempts, retry_at, error)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                       ON CONFLICT (kind, lane) DO UPDATE SET attempts = ?4, retry_at = ?5, error = ?6
                       WHERE next <= ?3";
            let values =
                params![lane.kind, lane.name, signed(item), attempts, retry_at_ms.map(signed), reason];
            let done = transaction.sql().execute(sql, values);
            done.map(drop).map_err(JournalError::sqlite("note a failed delivery"))
        };
        self.write(write).await
    }

    /// Moves the cursor of a channel past a delivered message and appends the leaf of the delivery.
    ///
    /// The cursor of an observer moves with the receipt of its run instead.
    pub async fn finish(&self, message: &PublishedMessage, attempts: u32) -> Result<(), StateError> {
        let at_ms = self.state.now_ms();
        let PublishedMessage { id, channel, skill_id, run_id, .. } = message.clone();
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let done = advance(transaction.sql(), LaneKind::Channel, &channel, id + 1, true);
            done.map_err(JournalError::sqlite("finish a delivery"))?;
            let details = json!({ "channel": channel, "message": id, "attempts": attempts, "reason": null });
            let event = NewEvent::new(EventKind::ChannelDelivered, at_ms).actor("daemon").run(run_id);
            transaction.append(event.skill(skill_id).subject(&channel).details(details)).map(drop)
        };
        self.write(write).await
    }
}

/// Moves a cursor past an item, in the transaction that records the outcome, and clears its failure.
pub(crate) fn advance(
    sql: &Connection,
    kind: LaneKind,
    lane: &str,
    next: u64,
    delivered: bool,
) -> rusqlite::Result<()> {
    let text = "INSERT INTO delivery_cursors (kind, lane, next, delivered) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (kind, lane) DO UPDATE SET next = max(next, ?3), attempts = 0, retry_at = NULL,
                error = NULL, delivered = delivered + ?4";
    sql.prepare_cached(text)?.execute(params![kind, lane, signed(next), i64::from(delivered)]).map(drop)
}

/// Removes the cursor and the dead letters of a lane.
pub(crate) fn forget(sql: &Connection, lane: &LaneKey) -> rusqlite::Result<()> {
    for table in ["delivery_cursors", "dead_letters"] {
        let text = format!("DELETE FROM {table} WHERE kind = ?1 AND lane = ?2");
        sql.execute(&text, params![lane.kind, lane.name])?;
    }
    Ok(())
}

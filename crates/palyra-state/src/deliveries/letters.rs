//! Dead letters: items that were given up. An operator lists them, retries them, or drops them.

use std::collections::HashMap;
use std::sync::Arc;

use palyra_common::principal::{PrincipalKind, actor};
use palyra_common::text::clip_untrusted;
use palyra_journal::{EventKind, JournalError, JournalTransaction, NewEvent, Query};
use rusqlite::{Row, params};
use serde_json::json;

use super::cursors::advance;
use super::{DeliveryError, DeliveryStore, LaneFilter, LaneItem, LaneKey, LaneKind, LaneTarget, MAX_REASON};
use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::text::short_name;

/// Maximum number of dead letters of one observer; beyond it the lane waits for an operator. A channel
/// continues, because its messages are kept for the newest letters only.
const MAX_HOOK_LETTERS: u64 = 1_000;

/// An item that was given up after its last attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// Number of the letter, unique over all lanes.
    pub letter: u64,
    /// Lane of the item.
    pub lane: LaneKey,
    /// Sequence of the event, or id of the message.
    pub item: u64,
    /// Event kind the observer is bound to; `None` for a channel.
    pub event: Option<String>,
    /// Number of attempts, including retries of the dead letter.
    pub attempts: u32,
    /// Reason of the last failure, escaped and truncated.
    pub reason: String,
    /// Time at which the item was given up, in Unix milliseconds.
    pub at_ms: u64,
}

impl DeliveryStore<'_> {
    /// Returns at most `limit` dead letters of the selected lanes, newest first.
    pub fn dead_letters(&self, lanes: &LaneFilter, limit: usize) -> Result<Vec<DeadLetter>, StateError> {
        self.select_letters(lanes, None, limit)
    }

    /// Returns a dead letter if it belongs to one of the selected lanes.
    pub fn dead_letter(&self, letter: u64, lanes: &LaneFilter) -> Result<DeadLetter, DeliveryError> {
        let found = self.select_letters(lanes, Some(letter), 1)?;
        found.into_iter().next().ok_or(DeliveryError::UnknownLetter { letter })
    }

    fn select_letters(
        &self,
        lanes: &LaneFilter,
        letter: Option<u64>,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, StateError> {
        self.state.read("read dead letters", |connection| {
            let sql = "SELECT letter, kind, lane, item, event, attempts, reason, at FROM dead_letters
                       WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR lane = ?2) AND (?3 IS NULL OR letter = ?3)
                       ORDER BY letter DESC LIMIT ?4";
            let mut statement = connection.prepare_cached(sql)?;
            let values = params![lanes.kind, lanes.name, letter.map(signed), signed(limit as u64)];
            let rows = statement.query_map(values, read_letter)?;
            rows.collect()
        })
    }

    /// Returns the event or message of a dead letter, or [`DeliveryError::ItemGone`] if it is no longer kept.
    pub fn dead_letter_item(&self, letter: &DeadLetter) -> Result<LaneItem, DeliveryError> {
        let number = letter.item;
        let item = match letter.lane.kind {
            LaneKind::Hook => {
                let (from_sequence, before_sequence) = (Some(number), Some(number + 1));
                let query = Query { from_sequence, before_sequence, ..Query::default() };
                let page = self.state.journal.query(&query).map_err(StateError::from)?;
                page.events.into_iter().next().map(|event| LaneItem::Event(Arc::new(event)))
            }
            LaneKind::Channel => {
                let messages = self.state.channels().messages(&letter.lane.name, number, 1)?;
                messages.into_iter().next().map(|message| LaneItem::Message(Arc::new(message)))
            }
        };
        let item = item.filter(|item| item.number() == number);
        let (letter, kind) = (letter.letter, letter.lane.kind);
        item.ok_or(DeliveryError::ItemGone { letter, kind, item: number })
    }

    /// Returns the number of dead letters per lane; lanes without any are missing.
    pub fn dead_letter_counts(&self) -> Result<HashMap<LaneKey, u64>, StateError> {
        self.state.read("count dead letters", |connection| {
            let sql = "SELECT kind, lane, count(*) FROM dead_letters GROUP BY kind, lane";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok((LaneKey { kind: row.get(0)?, name: row.get(1)? }, unsigned(row.get(2)?)))
            })?;
            rows.collect()
        })
    }

    /// Gives an item up: stores the dead letter, appends its leaf and moves the cursor in one transaction.
    ///
    /// Returns `false`, and changes nothing, if an observer already has the maximum number of dead letters.
    pub async fn give_up(
        &self,
        target: &LaneTarget,
        item: &LaneItem,
        attempts: u32,
        reason: &str,
    ) -> Result<bool, StateError> {
        let (lane, number, at_ms) = (target.key(), item.number(), self.state.now_ms());
        let reason = clip_untrusted(reason, MAX_REASON);
        let (event, leaf) = match target {
            LaneTarget::Hook(binding) => {
                let details = json!({ "binding": lane.name, "event": binding.event, "sequence": number,
                    "attempts": attempts, "reason": reason });
                let leaf = NewEvent::new(EventKind::HookDeadLettered, at_ms)
                    .actor(actor(PrincipalKind::Hook, &binding.id));
                (Some(binding.event.as_str()), leaf.details(details))
            }
            LaneTarget::Channel(_) => {
                let details = json!({ "channel": lane.name, "message": number, "attempts": attempts,
                    "reason": reason });
                let leaf = NewEvent::new(EventKind::ChannelDeadLettered, at_ms).actor("daemon");
                (None, about(leaf, item).subject(&lane.name).details(details))
            }
        };
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = transaction.sql();
            let write = || -> rusqlite::Result<bool> {
                let count = "SELECT count(*) FROM dead_letters WHERE kind = ?1 AND lane = ?2";
                let count: i64 = sql.query_row(count, params![lane.kind, lane.name], |row| row.get(0))?;
                if lane.kind == LaneKind::Hook && unsigned(count) >= MAX_HOOK_LETTERS {
                    return Ok(false);
                }
                let insert =
                    "INSERT OR IGNORE INTO dead_letters (kind, lane, item, event, attempts, reason, at)
                              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                let (item, at) = (signed(number), signed(at_ms));
                sql.execute(insert, params![lane.kind, lane.name, item, event, attempts, reason, at])?;
                advance(sql, lane.kind, &lane.name, number + 1, false)?;
                Ok(true)
            };
            let added = write().map_err(JournalError::sqlite("add a dead letter"))?;
            if added {
                transaction.append(leaf)?;
            }
            Ok(added)
        };
        self.write(write).await
    }

    /// Counts one more attempt of a dead letter, before it is made.
    pub async fn begin_retry(&self, letter: u64) -> Result<(), DeliveryError> {
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "UPDATE dead_letters SET attempts = attempts + 1 WHERE letter = ?1";
            transaction.sql().execute(sql, [signed(letter)]).map_err(JournalError::sqlite("begin a retry"))
        };
        match self.write(write).await? {
            0 => Err(DeliveryError::UnknownLetter { letter }),
            _ => Ok(()),
        }
    }

    /// Records why a retry of a dead letter failed.
    pub async fn note_retry_failure(&self, letter: u64, reason: &str) -> Result<(), StateError> {
        let reason = clip_untrusted(reason, MAX_REASON);
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "UPDATE dead_letters SET reason = ?2 WHERE letter = ?1";
            let done = transaction.sql().execute(sql, params![signed(letter), reason]);
            done.map(drop).map_err(JournalError::sqlite("note a failed retry"))
        };
        self.write(write).await
    }

    /// Removes a dead letter whose item was delivered, and appends the leaf of the delivery.
    pub async fn finish_retry(
        &self,
        letter: &DeadLetter,
        item: &LaneItem,
        principal: &str,
    ) -> Result<(), DeliveryError> {
        let leaf = match letter.lane.kind {
            LaneKind::Hook => self.dropped_leaf(letter, principal, "retried"),
            LaneKind::Channel => {
                let attempts = letter.attempts.saturating_add(1);
                let details = json!({ "channel": letter.lane.name, "message": letter.item, "attempts": attempts,
                    "letter": letter.letter });
                let leaf = NewEvent::new(EventKind::ChannelDelivered, self.state.now_ms());
                about(leaf, item).actor(short_name(principal)).subject(&letter.lane.name).details(details)
            }
        };
        self.remove_letter(letter, leaf, 1).await
    }

    /// Drops a dead letter without delivery, and appends a leaf with the principal.
    pub async fn drop_dead_letter(&self, letter: &DeadLetter, principal: &str) -> Result<(), DeliveryError> {
        self.remove_letter(letter, self.dropped_leaf(letter, principal, "dropped"), 0).await
    }

    fn dropped_leaf(&self, letter: &DeadLetter, principal: &str, why: &str) -> NewEvent {
        let DeadLetter { letter, lane, item, .. } = letter;
        let (kind, details) = match lane.kind {
            LaneKind::Hook => (
                EventKind::HookLetterDropped,
                json!({ "letter": letter, "binding": lane.name, "sequence": item, "why": why }),
            ),
            LaneKind::Channel => (
                EventKind::ChannelLetterDropped,
                json!({ "letter": letter, "channel": lane.name, "message": item }),
            ),
        };
        let leaf = NewEvent::new(kind, self.state.now_ms()).actor(short_name(principal)).details(details);
        match lane.kind {
            LaneKind::Hook => leaf,
            LaneKind::Channel => leaf.subject(&lane.name),
        }
    }

    async fn remove_letter(
        &self,
        letter: &DeadLetter,
        leaf: NewEvent,
        delivered: i64,
    ) -> Result<(), DeliveryError> {
        let DeadLetter { letter, lane, .. } = letter.clone();
        let write = move |transaction: &mut JournalTransaction<'_>| {
            let sql = transaction.sql();
            let write = || -> rusqlite::Result<usize> {
                let counted =
                    "UPDATE delivery_cursors SET delivered = delivered + ?3 WHERE kind = ?1 AND lane = ?2";
                sql.execute(counted, params![lane.kind, lane.name, delivered])?;
                sql.execute("DELETE FROM dead_letters WHERE letter = ?1", [signed(letter)])
            };
            let removed = write().map_err(JournalError::sqlite("remove a dead letter"))?;
            if removed > 0 || delivered > 0 {
                transaction.append(leaf)?;
            }
            Ok(removed)
        };
        match self.write(write).await? {
            0 if delivered == 0 => Err(DeliveryError::UnknownLetter { letter }),
            _ => Ok(()),
        }
    }
}

/// Adds the run and the skill that published a message to its leaf.
fn about(leaf: NewEvent, item: &LaneItem) -> NewEvent {
    match item {
        LaneItem::Event(_) => leaf,
        LaneItem::Message(message) => leaf.run(&message.run_id).skill(&message.skill_id),
    }
}

fn read_letter(row: &Row<'_>) -> rusqlite::Result<DeadLetter> {
    Ok(DeadLetter {
        letter: unsigned(row.get(0)?),
        lane: LaneKey { kind: row.get(1)?, name: row.get(2)? },
        item: unsigned(row.get(3)?),
        event: row.get(4)?,
        attempts: u32::try_from(row.get::<_, i64>(5)?).unwrap_or(u32::MAX),
        reason: row.get(6)?,
        at_ms: unsigned(row.get(7)?),
    })
}

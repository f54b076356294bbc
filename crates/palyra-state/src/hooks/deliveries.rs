//! How far each observer has come, and what it could not take: rows beside the journal.

use std::collections::HashMap;

use palyra_journal::{
    Durability, EventKind, JournalError, JournalTransaction, NewEvent, Query, RecordedEvent,
};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde_json::json;

use super::payload::hook_principal;
use super::{HookBindingRecord, LetterError};
use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::state::State;
use crate::text::clipped;

/// Most dead letters of one binding; one that has so many waits for a person.
pub(crate) const MAX_DEAD_LETTERS: u64 = 1_000;
/// Longest reason that is kept.
const MAX_REASON: usize = 500;

/// How far an observer has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HookCursor {
    /// The first event it was not told of.
    pub next: u64,
    /// How often the next event failed.
    pub attempts: u32,
    /// When it is tried again, in milliseconds of Unix time.
    pub retry_at_ms: Option<u64>,
    /// Why it failed last, or why it waits.
    pub error: Option<String>,
    /// How many events it took.
    pub delivered: u64,
}

/// An event that an observer could not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadLetter {
    /// Its number.
    pub letter: u64,
    /// The binding.
    pub binding: String,
    /// The event in the journal.
    pub sequence: u64,
    /// What it was.
    pub event: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it failed last.
    pub reason: String,
    /// When it was given up, in milliseconds of Unix time.
    pub at_ms: u64,
}

impl State {
    /// How far every observer has come.
    pub fn hook_cursors(&self) -> Result<HashMap<String, HookCursor>, StateError> {
        let read = |connection: &Connection| -> rusqlite::Result<HashMap<String, HookCursor>> {
            let sql = "SELECT binding, next, attempts, retry_at, error, delivered FROM hook_cursors";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                let cursor = HookCursor {
                    next: unsigned(row.get(1)?),
                    attempts: u32::try_from(row.get::<_, i64>(2)?).unwrap_or(u32::MAX),
                    retry_at_ms: row.get::<_, Option<i64>>(3)?.map(unsigned),
                    error: row.get(4)?,
                    delivered: unsigned(row.get(5)?),
                };
                Ok((row.get::<_, String>(0)?, cursor))
            })?;
            rows.collect()
        };
        let rows = self.journal.read(|connection| read(connection).map_err(failed("read cursors of hooks")));
        rows.map_err(StateError::from)
    }

    /// Keeps where observers stand that had nothing to hear; rows of bindings that are gone go.
    pub async fn keep_hook_cursors(
        &self,
        stands: Vec<(String, u64)>,
        gone: Vec<String>,
    ) -> Result<(), StateError> {
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let write = || -> rusqlite::Result<()> {
                let sql = "INSERT INTO hook_cursors (binding, next) VALUES (?1, ?2)
                           ON CONFLICT (binding) DO UPDATE SET next = max(next, ?2)";
                let mut put = transaction.sql().prepare_cached(sql)?;
                for (binding, next) in &stands {
                    put.execute(params![binding, signed(*next)])?;
                }
                for binding in &gone {
                    transaction.sql().execute("DELETE FROM hook_cursors WHERE binding = ?1", [binding])?;
                    transaction
                        .sql()
                        .execute("DELETE FROM hook_dead_letters WHERE binding = ?1", [binding])?;
                }
                Ok(())
            };
            write().map_err(failed("keep cursors of hooks"))
        };
        self.journal.transaction(Durability::Normal, work).await.map_err(StateError::from)
    }

    /// Notes that an event failed, or why an observer waits.
    pub async fn note_hook_failure(
        &self,
        binding: &str,
        sequence: u64,
        attempts: u32,
        retry_at_ms: Option<u64>,
        reason: &str,
    ) -> Result<(), StateError> {
        let (binding, reason) = (binding.to_owned(), clipped(reason, MAX_REASON));
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT INTO hook_cursors (binding, next, attempts, retry_at, error) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT (binding) DO UPDATE SET attempts = ?3, retry_at = ?4, error = ?5
                       WHERE next <= ?2";
            let values = params![binding, signed(sequence), attempts, retry_at_ms.map(signed), reason];
            transaction.sql().execute(sql, values).map(|_| ()).map_err(failed("note a failure of a hook"))
        };
        self.journal.transaction(Durability::Normal, work).await.map_err(StateError::from)
    }

    /// Gives an event up: a dead letter, its leaf and the cursor behind it, in one; `false` where there are too many.
    pub async fn add_dead_letter(
        &self,
        binding: &HookBindingRecord,
        sequence: u64,
        attempts: u32,
        reason: &str,
    ) -> Result<bool, StateError> {
        let (id, event, at_ms) = (binding.id.clone(), binding.event, self.now_ms());
        let (actor, reason) = (hook_principal(binding), clipped(reason, MAX_REASON));
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = transaction.sql();
            let count: i64 = sql
                .query_row("SELECT count(*) FROM hook_dead_letters WHERE binding = ?1", [&id], |row| {
                    row.get(0)
                })
                .map_err(failed("count dead letters"))?;
            if unsigned(count) >= MAX_DEAD_LETTERS {
                return Ok(false);
            }
            let insert =
                "INSERT OR IGNORE INTO hook_dead_letters (binding, sequence, event, attempts, reason, at)
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let values = params![id, signed(sequence), event.as_str(), attempts, reason, signed(at_ms)];
            sql.execute(insert, values).map_err(failed("add a dead letter"))?;
            advance(sql, &id, sequence + 1, false).map_err(failed("advance a cursor"))?;
            let details = json!({ "binding": id, "event": event, "sequence": sequence, "attempts": attempts,
                "reason": reason });
            let leaf = NewEvent::new(EventKind::HookDeadLettered, at_ms).actor(actor).details(details);
            transaction.append(leaf)?;
            Ok(true)
        };
        let added = self.journal.transaction(Durability::Normal, work).await;
        added.map_err(|error: JournalError| StateError::from(error))
    }

    /// Dead letters, oldest first; of one binding, or of all.
    pub fn dead_letters(&self, binding: Option<&str>, limit: usize) -> Result<Vec<DeadLetter>, StateError> {
        let read = |connection: &Connection| -> rusqlite::Result<Vec<DeadLetter>> {
            let sql = "SELECT letter, binding, sequence, event, attempts, reason, at FROM hook_dead_letters
                       WHERE ?1 IS NULL OR binding = ?1 ORDER BY letter LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![binding, signed(limit as u64)], letter)?;
            rows.collect()
        };
        let rows = self.journal.read(|connection| read(connection).map_err(failed("read dead letters")));
        rows.map_err(StateError::from)
    }

    /// One dead letter.
    pub fn dead_letter_row(&self, number: u64) -> Result<DeadLetter, LetterError> {
        let read = |connection: &Connection| {
            let sql = "SELECT letter, binding, sequence, event, attempts, reason, at FROM hook_dead_letters
                       WHERE letter = ?1";
            let row = connection.query_row(sql, [signed(number)], letter).optional();
            row.map_err(failed("read a dead letter"))
        };
        let found = self.journal.read(read).map_err(StateError::from)?;
        found.ok_or(LetterError::Unknown { letter: number })
    }

    /// One dead letter and its event.
    pub fn dead_letter(&self, number: u64) -> Result<(DeadLetter, RecordedEvent), LetterError> {
        let letter = self.dead_letter_row(number)?;
        let sequence = letter.sequence;
        let query =
            Query { from_sequence: Some(sequence), before_sequence: Some(sequence + 1), ..Query::default() };
        let page = self.journal.query(&query).map_err(StateError::from)?;
        match page.events.into_iter().next() {
            Some(event) => Ok((letter, event)),
            None => Err(LetterError::Archived { letter: number, sequence }),
        }
    }

    /// Takes a dead letter away; a person decided that, or the hook took the event after all.
    pub fn drop_dead_letter(
        &self,
        number: u64,
        principal: &str,
        why: &'static str,
    ) -> Result<(), LetterError> {
        let (actor, at_ms) = (crate::text::short_name(principal), self.now_ms());
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "DELETE FROM hook_dead_letters WHERE letter = ?1 RETURNING binding, sequence";
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
            let gone = transaction.sql().query_row(sql, [signed(number)], read).optional();
            let Some((binding, sequence)) = gone.map_err(failed("drop a dead letter"))? else {
                return Ok(false);
            };
            let details = json!({ "letter": number, "binding": binding, "sequence": sequence, "why": why });
            transaction
                .append(NewEvent::new(EventKind::HookLetterDropped, at_ms).actor(actor).details(details))?;
            Ok(true)
        };
        let dropped = self.journal.transaction(Durability::Normal, work).wait();
        match dropped.map_err(|error: JournalError| StateError::from(error))? {
            true => Ok(()),
            false => Err(LetterError::Unknown { letter: number }),
        }
    }

    pub(super) fn dead_letter_counts(&self) -> Result<HashMap<String, u64>, StateError> {
        let read = |connection: &Connection| -> rusqlite::Result<HashMap<String, u64>> {
            let sql = "SELECT binding, count(*) FROM hook_dead_letters GROUP BY binding";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, unsigned(row.get(1)?))))?;
            rows.collect()
        };
        let rows = self.journal.read(|connection| read(connection).map_err(failed("count dead letters")));
        rows.map_err(StateError::from)
    }
}

/// Moves a cursor past an event, in the transaction that records why.
pub(crate) fn advance(sql: &Connection, binding: &str, next: u64, delivered: bool) -> rusqlite::Result<()> {
    let text = "INSERT INTO hook_cursors (binding, next, delivered) VALUES (?1, ?2, ?3)
                ON CONFLICT (binding) DO UPDATE SET next = max(next, ?2), attempts = 0, retry_at = NULL,
                error = NULL, delivered = delivered + ?3";
    sql.prepare_cached(text)?.execute(params![binding, signed(next), i64::from(delivered)]).map(|_| ())
}

fn letter(row: &rusqlite::Row<'_>) -> rusqlite::Result<DeadLetter> {
    Ok(DeadLetter {
        letter: unsigned(row.get(0)?),
        binding: row.get(1)?,
        sequence: unsigned(row.get(2)?),
        event: row.get(3)?,
        attempts: u32::try_from(row.get::<_, i64>(4)?).unwrap_or(u32::MAX),
        reason: row.get(5)?,
        at_ms: unsigned(row.get(6)?),
    })
}

fn failed(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> JournalError {
    JournalError::sqlite(doing)
}

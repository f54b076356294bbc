//! Messages that were given up: shown, tried once more when a person says so, or dropped.

use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde_json::json;

use super::{ChannelError, PublishedMessage};
use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::state::State;
use crate::text::{clipped, short_name};

/// Longest reason that is kept.
const MAX_REASON: usize = 500;

/// A message that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelDeadLetter {
    /// Its number.
    pub letter: u64,
    /// The channel.
    pub channel: String,
    /// The message.
    pub message: u64,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it failed last.
    pub reason: String,
    /// When it was given up, in milliseconds of Unix time.
    pub at_ms: u64,
}

impl State {
    /// What a channel gave up, newest first.
    pub fn channel_dead_letters(
        &self,
        channel: &str,
        limit: usize,
    ) -> Result<Vec<ChannelDeadLetter>, StateError> {
        let read = |connection: &Connection| -> rusqlite::Result<Vec<ChannelDeadLetter>> {
            let sql = "SELECT letter, channel, message, attempts, reason, at FROM channel_dead_letters
                       WHERE channel = ?1 ORDER BY letter DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![channel, signed(limit as u64)], read_letter)?;
            rows.collect()
        };
        self.read_channels("read dead letters of a channel", read)
    }

    /// One dead letter of a channel.
    pub fn channel_dead_letter(&self, channel: &str, number: u64) -> Result<ChannelDeadLetter, ChannelError> {
        let read = |connection: &Connection| {
            let sql = "SELECT letter, channel, message, attempts, reason, at FROM channel_dead_letters
                       WHERE channel = ?1 AND letter = ?2";
            connection.query_row(sql, params![channel, signed(number)], read_letter).optional()
        };
        let found = self.read_channels("read a dead letter of a channel", read)?;
        found.ok_or_else(|| ChannelError::NoLetter { name: channel.to_owned(), letter: number })
    }

    /// One dead letter and its message, as long as that is kept.
    pub fn channel_dead_message(
        &self,
        channel: &str,
        number: u64,
    ) -> Result<(ChannelDeadLetter, PublishedMessage), ChannelError> {
        let letter = self.channel_dead_letter(channel, number)?;
        let messages = self.channel_messages(channel, letter.message, 1)?;
        match messages.into_iter().find(|message| message.id == letter.message) {
            Some(message) => Ok((letter, message)),
            None => Err(ChannelError::MessageGone { name: channel.to_owned(), letter: number }),
        }
    }

    /// Notes that a message that was given up is about to be sent once more.
    pub async fn begin_channel_retry(&self, letter: &ChannelDeadLetter) -> Result<(), ChannelError> {
        let (number, channel) = (letter.letter, letter.channel.clone());
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "UPDATE channel_dead_letters SET attempts = attempts + 1 WHERE letter = ?1";
            let changed = transaction.sql().execute(sql, [signed(number)]);
            changed.map_err(JournalError::sqlite("begin a retry of a channel"))
        };
        let changed = self.journal.transaction(Durability::Normal, work).await;
        match changed.map_err(|error: JournalError| StateError::from(error))? {
            0 => Err(ChannelError::NoLetter { name: channel, letter: number }),
            _ => Ok(()),
        }
    }

    /// Notes why a message failed once more.
    pub async fn note_channel_retry_failure(&self, number: u64, reason: &str) -> Result<(), StateError> {
        let reason = clipped(reason, MAX_REASON);
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "UPDATE channel_dead_letters SET reason = ?2 WHERE letter = ?1";
            let changed = transaction.sql().execute(sql, params![signed(number), reason]);
            changed.map(|_| ()).map_err(JournalError::sqlite("note a failed retry of a channel"))
        };
        self.journal.transaction(Durability::Normal, work).await.map_err(StateError::from)
    }

    /// Takes a dead letter away because its message was delivered after all, with the leaf that says so.
    pub async fn settle_channel_retry(
        &self,
        letter: &ChannelDeadLetter,
        message: &PublishedMessage,
        principal: &str,
    ) -> Result<(), StateError> {
        let (number, attempts) = (letter.letter, letter.attempts.saturating_add(1));
        let (at_ms, actor) = (self.now_ms(), short_name(principal));
        let PublishedMessage { id, channel, skill_id, run_id, .. } = message.clone();
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = transaction.sql();
            let write = || -> rusqlite::Result<()> {
                sql.execute("DELETE FROM channel_dead_letters WHERE letter = ?1", [signed(number)])?;
                let counted = "UPDATE channel_cursors SET delivered = delivered + 1 WHERE channel = ?1";
                sql.execute(counted, [&channel]).map(|_| ())
            };
            write().map_err(JournalError::sqlite("settle a retry of a channel"))?;
            let details =
                json!({ "channel": channel, "message": id, "attempts": attempts, "letter": number });
            let event = NewEvent::new(EventKind::ChannelDelivered, at_ms).actor(actor).run(run_id);
            transaction.append(event.skill(skill_id).subject(&channel).details(details))?;
            Ok::<(), JournalError>(())
        };
        self.journal.transaction(Durability::Normal, work).await.map_err(StateError::from)
    }

    /// Gives a message up for good, with the leaf that says who did.
    pub fn drop_channel_letter(
        &self,
        channel: &str,
        number: u64,
        principal: &str,
    ) -> Result<(), ChannelError> {
        let (actor, at_ms, name) = (short_name(principal), self.now_ms(), channel.to_owned());
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "DELETE FROM channel_dead_letters WHERE channel = ?1 AND letter = ?2 RETURNING message";
            let gone = transaction.sql().query_row(sql, params![name, signed(number)], |row| row.get(0));
            let gone = gone.map(unsigned).optional().map_err(JournalError::sqlite("drop a dead letter"))?;
            let Some(message) = gone else { return Ok(false) };
            let details = json!({ "channel": name, "letter": number, "message": message });
            let event = NewEvent::new(EventKind::ChannelLetterDropped, at_ms).actor(actor).subject(&name);
            transaction.append(event.details(details))?;
            Ok(true)
        };
        let dropped = self.journal.transaction(Durability::Normal, work).wait();
        match dropped.map_err(|error: JournalError| StateError::from(error))? {
            true => Ok(()),
            false => Err(ChannelError::NoLetter { name: channel.to_owned(), letter: number }),
        }
    }
}

fn read_letter(row: &Row<'_>) -> rusqlite::Result<ChannelDeadLetter> {
    Ok(ChannelDeadLetter {
        letter: unsigned(row.get(0)?),
        channel: row.get(1)?,
        message: unsigned(row.get(2)?),
        attempts: u32::try_from(row.get::<_, i64>(3)?).unwrap_or(u32::MAX),
        reason: row.get(4)?,
        at_ms: unsigned(row.get(5)?),
    })
}

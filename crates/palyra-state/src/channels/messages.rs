//! Messages of channels as rows, each with a MAC.

use std::sync::Arc;

use palyra_journal::{Durability, JournalError, JournalTransaction};
use palyra_plugins_runtime::ChannelMessage;
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, Row, params};
use tokio::sync::watch;

use super::{ChannelRecord, ChannelStore};
use crate::db::{RowKey, signed, unsigned};
use crate::deliveries::{DeliveryCursor, LaneKey, forget};
use crate::error::StateError;
use crate::state::State;

/// Maximum number of undelivered messages of one channel; publishing another one fails.
pub(crate) const MAX_WAITING: u64 = 10_000;
/// Number of messages that each channel keeps for followers, and of dead letters that keep their messages.
pub(crate) const KEPT: i64 = 1_000;
/// Name of the table in the MACs of its rows.
const MESSAGES: &str = "channel_messages";
/// Selects the highest message id ever used, including removed messages.
const LAST_MESSAGE: &str =
    "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'channel_messages'";

/// A message published to a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedMessage {
    /// Unique and ascending over all channels.
    pub id: u64,
    /// Name of the channel.
    pub channel: String,
    /// Skill that published the message.
    pub skill_id: String,
    /// Run that published the message.
    pub run_id: String,
    /// Media type of the body, as given by the guest.
    pub content_type: String,
    /// Content as the guest published it.
    pub body: Vec<u8>,
    /// Publication time in Unix milliseconds.
    pub at_ms: u64,
    /// Result of checking the row's MAC.
    pub seal: MessageSeal,
}

/// Result of checking the MAC of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSeal {
    /// The owner of this state root wrote the row.
    Valid,
    /// The row has no MAC: an earlier version published the message, or another program wrote it.
    Missing,
    /// The MAC does not match: the row was modified.
    Invalid,
}

/// Reads the columns `id, channel, skill_id, run_id, content_type, body, at, mac` and checks the MAC.
pub(crate) fn read_message(row: &Row<'_>, row_key: &RowKey) -> rusqlite::Result<PublishedMessage> {
    let mut message = PublishedMessage {
        id: unsigned(row.get(0)?),
        channel: row.get(1)?,
        skill_id: row.get(2)?,
        run_id: row.get(3)?,
        content_type: row.get(4)?,
        body: row.get(5)?,
        at_ms: unsigned(row.get(6)?),
        seal: MessageSeal::Missing,
    };
    if let Some(mac) = row.get::<_, Option<Vec<u8>>>(7)? {
        let PublishedMessage { id, channel, skill_id, run_id, content_type, body, at_ms, .. } = &message;
        let sealed = sealed_bytes([channel, skill_id, run_id, content_type], &Sha256Digest::of(body), *at_ms);
        message.seal = match row_key.check_in(MESSAGES, &id.to_string(), &sealed, &mac) {
            Ok(()) => MessageSeal::Valid,
            Err(_) => MessageSeal::Invalid,
        };
    }
    Ok(message)
}

/// Returns the bytes that the MAC covers besides the id; every text is prefixed with its length.
fn sealed_bytes(texts: [&String; 4], body: &Sha256Digest, at_ms: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes.extend_from_slice(body.as_bytes());
    bytes.extend_from_slice(&at_ms.to_be_bytes());
    bytes
}

/// Stores a message and returns its id, or `None` if too many messages of the channel are undelivered.
pub async fn publish(
    state: &State,
    message: &ChannelMessage,
    is_delivered: bool,
) -> Result<Option<u64>, StateError> {
    let ChannelMessage { channel, owner, run_id, content_type, body } = message.clone();
    let (channel, at_ms) = (channel.as_str().to_owned(), state.now_ms());
    let (row_key, digest) = (Arc::clone(&state.row_key), Sha256Digest::of(&body));
    let work = move |transaction: &mut JournalTransaction<'_>| {
        let sql = transaction.sql();
        let write = || -> rusqlite::Result<Option<u64>> {
            let waiting = "SELECT count(*) FROM (SELECT 1 FROM channel_messages WHERE channel = ?1
                           AND id >= coalesce((SELECT next FROM delivery_cursors WHERE kind = 'channel' AND lane = ?1), 0) LIMIT ?2)";
            let waiting: i64 = if is_delivered {
                sql.prepare_cached(waiting)?
                    .query_row(params![channel, signed(MAX_WAITING)], |row| row.get(0))?
            } else {
                0
            };
            if unsigned(waiting) >= MAX_WAITING {
                return Ok(None);
            }
            // The MAC covers the id, so the id has to be known before the insert.
            let id: i64 = sql.prepare_cached(LAST_MESSAGE)?.query_row([], |row| row.get(0))?;
            let id = id.saturating_add(1);
            let sealed = sealed_bytes([&channel, &owner, &run_id, &content_type], &digest, at_ms);
            let mac = row_key.seal_in(MESSAGES, &id.to_string(), &sealed);
            let insert =
                "INSERT INTO channel_messages (id, channel, skill_id, run_id, content_type, body, at, mac)
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let values =
                params![id, channel, owner, run_id, content_type, body, signed(at_ms), mac.as_slice()];
            sql.prepare_cached(insert)?.execute(values)?;
            Ok(Some(unsigned(id)))
        };
        write().map_err(JournalError::sqlite("publish a message"))
    };
    let id = state.journal.transaction(Durability::Normal, work).await.map_err(StateError::from)?;
    if id.is_some() {
        state.published.send_modify(|count| *count += 1);
    }
    Ok(id)
}

impl ChannelStore<'_> {
    /// Returns a receiver that changes with every published message and every change of the channels.
    pub fn follow(&self) -> watch::Receiver<u64> {
        let mut published = self.state.published.subscribe();
        published.mark_unchanged();
        published
    }

    /// Returns at most `limit` messages of a channel with ids from `from` on, oldest first.
    pub fn messages(
        &self,
        channel: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<PublishedMessage>, StateError> {
        let read = |connection: &Connection| -> rusqlite::Result<Vec<PublishedMessage>> {
            let sql =
                "SELECT id, channel, skill_id, run_id, content_type, body, at, mac FROM channel_messages
                       WHERE channel = ?1 AND id >= ?2 ORDER BY id LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let values = params![channel, signed(from), signed(limit as u64)];
            let rows = statement.query_map(values, |row| read_message(row, &self.state.row_key))?;
            rows.collect()
        };
        self.state.read("read messages", read)
    }

    /// Returns the newest `limit` messages of a channel, oldest first.
    pub fn newest(&self, channel: &str, limit: usize) -> Result<Vec<PublishedMessage>, StateError> {
        let read = |connection: &Connection| {
            let sql = "SELECT coalesce(min(id), 0) FROM
                       (SELECT id FROM channel_messages WHERE channel = ?1 ORDER BY id DESC LIMIT ?2)";
            connection
                .query_row(sql, params![channel, signed(limit as u64)], |row| row.get::<_, i64>(0))
                .map(unsigned)
        };
        let first = self.state.read("read messages", read)?;
        self.messages(channel, first, limit)
    }

    /// Returns the highest message id of all channels, or 0.
    pub fn last_message(&self) -> Result<u64, StateError> {
        let read = |connection: &Connection| {
            connection.query_row(LAST_MESSAGE, [], |row| row.get::<_, i64>(0)).map(unsigned)
        };
        self.state.read("read messages", read)
    }

    /// Returns the delivery position of a channel; the cursor of a removed channel with the same name is ignored.
    pub fn cursor(&self, channel: &ChannelRecord) -> Result<DeliveryCursor, StateError> {
        let cursor = self.state.deliveries().cursors()?.remove(&LaneKey::channel(&channel.name));
        let begin = || DeliveryCursor { next: channel.since, ..DeliveryCursor::default() };
        Ok(cursor.filter(|cursor| cursor.next >= channel.since).unwrap_or_else(begin))
    }

    /// Removes delivered messages, and messages of channels without delivery, except the newest of each
    /// channel; returns their number.
    pub fn trim(&self) -> Result<u64, StateError> {
        let delivered: Vec<String> = self
            .list()
            .values()
            .filter(|channel| channel.kind.is_delivered())
            .map(|channel| channel.name.clone())
            .collect();
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let trim = || -> rusqlite::Result<usize> {
                let sql = transaction.sql();
                let mut names = sql.prepare("SELECT DISTINCT channel FROM channel_messages")?;
                let names: Vec<String> =
                    names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
                let mut gone = 0;
                for name in names {
                    // A channel with delivery but without a cursor has delivered nothing yet and keeps everything.
                    let most = if delivered.contains(&name) {
                        "SELECT next FROM delivery_cursors WHERE kind = 'channel' AND lane = ?1"
                    } else {
                        "SELECT 9223372036854775807"
                    };
                    let text = format!(
                        "DELETE FROM channel_messages WHERE channel = ?1
                         AND id < coalesce(({most}), 0)
                         AND id <= (SELECT id FROM channel_messages WHERE channel = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                         AND id NOT IN (SELECT item FROM dead_letters WHERE kind = 'channel' AND lane = ?1
                                        ORDER BY letter DESC LIMIT ?2)"
                    );
                    gone += sql.execute(&text, params![name, KEPT])?;
                }
                Ok(gone)
            };
            trim().map_err(JournalError::sqlite("trim messages"))
        };
        let gone = self.state.journal.transaction(Durability::Normal, work).wait();
        gone.map(|gone| gone as u64).map_err(|error: JournalError| error.into())
    }

    pub(super) fn forget(&self, channel: &str) -> Result<(), StateError> {
        let channel = channel.to_owned();
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let remove = || -> rusqlite::Result<()> {
                let sql = transaction.sql();
                sql.execute("DELETE FROM channel_messages WHERE channel = ?1", [&channel])?;
                forget(sql, &LaneKey::channel(&channel))
            };
            remove().map_err(JournalError::sqlite("forget a channel"))
        };
        let gone = self.state.journal.transaction(Durability::Normal, work).wait();
        gone.map_err(|error: JournalError| error.into())
    }
}

//! Messages as rows, sealed by the owner.

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

/// Most messages of one channel that wait; one more is refused.
pub(crate) const MAX_WAITING: u64 = 10_000;
/// Messages of one channel that are kept for those who follow, and dead letters that keep theirs.
const KEPT: i64 = 1_000;
/// The table, as MACs of its rows name it.
const MESSAGES: &str = "channel_messages";
/// The number of the newest message there ever was.
const LAST_MESSAGE: &str =
    "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'channel_messages'";

/// A message that was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedMessage {
    /// Its number.
    pub id: u64,
    /// The channel.
    pub channel: String,
    /// The skill that published it.
    pub skill_id: String,
    /// Its run.
    pub run_id: String,
    /// Encoding of the body.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
    /// Time in Unix milliseconds.
    pub at_ms: u64,
    /// Whether this owner wrote it.
    pub seal: MessageSeal,
}

/// Whether the MAC of a message shows that the owner of the state root wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSeal {
    /// It does.
    Valid,
    /// There is no MAC: an earlier version published the message, or another program wrote the row.
    Missing,
    /// The row is not the one that was sealed.
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

/// What the MAC of a message covers besides its number; every text with its length before it.
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

/// Writes a message; `None` where too many wait to be delivered.
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
            // The MAC covers the number, so it has to be known before the row is there.
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
    /// Tells of every message that is published, and of every change of the channels, from now on.
    pub fn follow(&self) -> watch::Receiver<u64> {
        let mut published = self.state.published.subscribe();
        published.mark_unchanged();
        published
    }

    /// Messages of a channel from a number on, oldest first.
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

    /// The newest messages of a channel, oldest of them first.
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

    /// The number of the newest message of all channels.
    pub fn last_message(&self) -> Result<u64, StateError> {
        let read = |connection: &Connection| {
            connection.query_row(LAST_MESSAGE, [], |row| row.get::<_, i64>(0)).map(unsigned)
        };
        self.state.read("read messages", read)
    }

    /// Returns how far a channel has come; the cursor of an earlier channel of this name counts for nothing.
    pub fn cursor(&self, channel: &ChannelRecord) -> Result<DeliveryCursor, StateError> {
        let cursor = self.state.deliveries().cursors()?.remove(&LaneKey::channel(&channel.name));
        let begin = || DeliveryCursor { next: channel.since, ..DeliveryCursor::default() };
        Ok(cursor.filter(|cursor| cursor.next >= channel.since).unwrap_or_else(begin))
    }

    /// Removes messages that were delivered or only kept to be followed, but for the newest of each channel.
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
                    // One that has to be delivered and has no cursor yet keeps everything.
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

//! Compares messages of channels with their MACs, and their number with the receipts of the runs that published them.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::Deserialize;

use super::RecordsReport;
use super::receipt::ReceiptLeaf;
use crate::channels::{KEPT, MessageSeal, read_message};
use crate::db::{RowKey, unsigned};
use crate::text::time_of_id;

/// Messages that were published to channels since they were defined, according to receipts.
pub(super) struct Published(BTreeMap<String, Channel>);

/// A defined channel. An undefined one stores no messages, and removing it removes them.
#[derive(Default)]
struct Channel {
    /// The leaf that defined it.
    since_leaf: u64,
    since_ms: u64,
    messages: u64,
    /// Messages of each run, as long as the channel keeps all of them.
    runs: Vec<(String, u64)>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChangeDetails {
    added: Option<String>,
    removed: Option<String>,
}

impl Published {
    /// Reads which channels are defined, and since when.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let sql =
            "SELECT seq, at_ms, details FROM journal_event WHERE kind = 'channels:changed' ORDER BY seq";
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut channels = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let details: ChangeDetails = serde_json::from_str(row.get_ref(2)?.as_str()?).unwrap_or_default();
            if let Some(name) = details.removed {
                channels.remove(&name);
            }
            if let Some(name) = details.added {
                let (since_leaf, since_ms) = (unsigned(row.get(0)?), unsigned(row.get(1)?));
                channels.insert(name, Channel { since_leaf, since_ms, ..Channel::default() });
            }
        }
        Ok(Self(channels))
    }

    /// Adds a receipt.
    pub(super) fn add(&mut self, leaf: &ReceiptLeaf) {
        let Some(run) = &leaf.run else { return };
        for (capability, count) in &leaf.facts.capabilities {
            let channel = capability.strip_prefix("channel:").and_then(|name| self.0.get_mut(name));
            let Some(channel) = channel.filter(|_| count.used > 0) else { continue };
            // A run that began before the channel was defined may have published to nothing.
            let began = time_of_id(run).unwrap_or_default();
            if leaf.sequence > channel.since_leaf && began > channel.since_ms {
                channel.add(run, count.used);
            }
        }
    }

    /// Finds channels with fewer messages than were published and are always kept.
    pub(super) fn compare(
        &self,
        connection: &Connection,
        report: &mut RecordsReport,
    ) -> rusqlite::Result<()> {
        let mut count = connection.prepare("SELECT count(*) FROM channel_messages WHERE channel = ?1")?;
        let mut of_run =
            connection.prepare("SELECT count(*) FROM channel_messages WHERE channel = ?1 AND run_id = ?2")?;
        for (name, channel) in &self.0 {
            let found = unsigned(count.query_row([name], |row| row.get(0))?);
            let (kept, published) = (unsigned(KEPT), channel.messages);
            if found >= kept {
                continue;
            }
            if published > kept {
                let expected = format!("at least {kept} messages of {published} in receipts");
                report.add("channel_messages", name, expected, format!("{found} messages"));
                continue;
            }
            for (run, published) in &channel.runs {
                let found = unsigned(of_run.query_row([name, run], |row| row.get(0))?);
                if found < *published {
                    let expected = format!("{published} messages of run `{run}`, as its receipt says");
                    report.add("channel_messages", name, expected, format!("{found} messages"));
                }
            }
        }
        Ok(())
    }
}

impl Channel {
    fn add(&mut self, run: &str, messages: u64) {
        self.messages = self.messages.saturating_add(messages);
        if self.messages > unsigned(KEPT) {
            // The oldest may have been removed; which run published them does not matter any more.
            self.runs = Vec::new();
        } else {
            self.runs.push((run.to_owned(), messages));
        }
    }
}

/// Checks the MAC of every message.
pub(super) fn check_seals(
    connection: &Connection,
    row_key: &RowKey,
    report: &mut RecordsReport,
) -> rusqlite::Result<()> {
    let sql =
        "SELECT id, channel, skill_id, run_id, content_type, body, at, mac FROM channel_messages ORDER BY id";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let message = read_message(row, row_key)?;
        match message.seal {
            MessageSeal::Valid => report.messages += 1,
            MessageSeal::Missing => report.unsealed_messages += 1,
            MessageSeal::Invalid => {
                let found = "a row that was changed or was not written by this owner";
                report.add("channel_messages", &message.id.to_string(), "a row with the owner's MAC", found);
            }
        }
    }
    Ok(())
}

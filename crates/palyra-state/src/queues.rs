//! Queue depths in the database, for metrics.

use rusqlite::{Connection, params};

use crate::db::{signed, unsigned};
use crate::deliveries::DeliveryStore;
use crate::deliveries::LaneKind;
use crate::error::StateError;

/// Numbers of waiting and failed deliveries in the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Queues {
    /// Undelivered messages of all channels.
    pub channel_messages: u64,
    /// Dead letters of all observers.
    pub hook_dead_letters: u64,
    /// Dead letters of all channels.
    pub channel_dead_letters: u64,
}

impl DeliveryStore<'_> {
    /// Counts all queues in one snapshot. Blocks the calling thread.
    pub fn queues(&self) -> Result<Queues, StateError> {
        let channels = self.state.channels().list();
        let count = |connection: &Connection| -> rusqlite::Result<Queues> {
            let letters = |kind: LaneKind| {
                let sql = "SELECT count(*) FROM dead_letters WHERE kind = ?1";
                connection.query_row(sql, [kind], |row| row.get::<_, i64>(0)).map(unsigned)
            };
            let mut waiting = connection.prepare_cached(
                "SELECT count(*) FROM channel_messages WHERE channel = ?1 AND id >=
                 max(?2, coalesce((SELECT next FROM delivery_cursors WHERE kind = 'channel' AND lane = ?1), 0))",
            )?;
            let mut channel_messages = 0;
            for channel in channels.values().filter(|channel| channel.kind.is_delivered()) {
                let values = params![channel.name, signed(channel.since)];
                channel_messages += unsigned(waiting.query_row(values, |row| row.get(0))?);
            }
            Ok(Queues {
                channel_messages,
                hook_dead_letters: letters(LaneKind::Hook)?,
                channel_dead_letters: letters(LaneKind::Channel)?,
            })
        };
        self.state.read("count what waits", count)
    }
}

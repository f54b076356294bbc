//! Rows that follow from receipts, compared with them.
//!
//! A receipt is a leaf of the journal, which proves itself. Rows of runs, totals of skills and small tapes are stored
//! next to it for fast lists, and are not sealed one by one: sealing them would cost every call more than this
//! comparison costs on demand. Channel messages have no receipt and have a MAC.

mod receipt;
mod runs;
mod totals;

pub(crate) use receipt::{LEAF_COLUMNS, ReceiptLeaf};

use palyra_journal::{JournalError, JournalStore};
use rusqlite::Connection;
use serde::Serialize;

use crate::channels::{MessageSeal, read_message};
use crate::damage::{Damage, Difference};
use crate::db::RowKey;
use crate::error::StateError;
use crate::runs::RunStore;
use crate::survey::row_name;

/// Most differences that are listed one by one.
const MAX_DIFFERENCES: usize = 100;
const REMEDY: &str =
    "the receipt in the journal is authoritative: restore a backup with `palyra restore FILE`";

/// What was compared, and what differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecordsReport {
    /// Runs compared with their receipts.
    pub runs: u64,
    /// Totals of skills compared with the sum of their receipts.
    pub totals: u64,
    /// Messages of channels whose MAC was checked.
    pub messages: u64,
    /// Messages without a MAC: an earlier version published them, or another program wrote the rows.
    pub unsealed_messages: u64,
    /// The first rows that differ.
    pub differences: Vec<Difference>,
    /// How many more differ.
    pub more: u64,
}

impl RecordsReport {
    /// Returns whether every row is as its receipt says.
    pub fn is_intact(&self) -> bool {
        self.differences.is_empty()
    }

    fn add(
        &mut self,
        table: &str,
        key: &str,
        expected: impl std::fmt::Display,
        found: impl std::fmt::Display,
    ) {
        if self.differences.len() >= MAX_DIFFERENCES {
            self.more = self.more.saturating_add(1);
            return;
        }
        let mut damage = Damage::default();
        damage.add(row_name(table, key), expected, found, REMEDY);
        self.differences.append(&mut damage.differences);
    }
}

impl RunStore<'_> {
    /// Compares every row of a run, every total and every message with its proof; blocks the calling thread.
    pub fn verify_records(&self) -> Result<RecordsReport, StateError> {
        verify(&self.state.journal, &self.state.row_key)
    }
}

/// Compares the rows of a database with its journal, in one snapshot.
pub(crate) fn verify(journal: &JournalStore, row_key: &RowKey) -> Result<RecordsReport, StateError> {
    Ok(journal.read(|connection| {
        let mut report = RecordsReport::default();
        let compare = |report: &mut RecordsReport| -> rusqlite::Result<()> {
            let archived: i64 =
                connection.query_row("SELECT archived FROM journal_head", [], |row| row.get(0))?;
            let totals = runs::compare(connection, archived, report)?;
            totals.compare(connection, report)?;
            messages(connection, row_key, report)
        };
        compare(&mut report).map_err(JournalError::sqlite("compare rows with receipts"))?;
        Ok::<_, JournalError>(report)
    })?)
}

fn messages(connection: &Connection, row_key: &RowKey, report: &mut RecordsReport) -> rusqlite::Result<()> {
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

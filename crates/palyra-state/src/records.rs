//! Verifies rows that are derived from receipts.
//!
//! A receipt is a leaf of the journal, which is verifiable on its own. Rows of runs, totals of skills and
//! small tapes are stored next to it for fast lists without a MAC each: sealing them would cost every call
//! more than this comparison costs on demand. Channel messages have no receipt and have a MAC.

mod messages;
mod receipt;
mod runs;
mod totals;

pub(crate) use receipt::{LEAF_COLUMNS, ReceiptLeaf};

use palyra_journal::{JournalError, JournalStore};
use serde::Serialize;

use crate::damage::{Damage, Difference};
use crate::db::RowKey;
use crate::error::StateError;
use crate::runs::RunStore;
use crate::survey::row_name;
use messages::{Published, check_seals};

/// Maximum number of differences that are listed one by one.
const MAX_DIFFERENCES: usize = 100;
const REMEDY: &str =
    "the receipt in the journal is authoritative: restore a backup with `palyra restore FILE`";

/// Result of comparing rows with receipts.
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
    /// The first 100 rows that differ.
    pub differences: Vec<Difference>,
    /// Number of further differences that are not listed.
    pub more: u64,
}

impl RecordsReport {
    /// Returns whether every row matches its receipt.
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
    /// Compares every row of a run, every total and every message with its proof. Blocks the calling thread.
    pub fn verify_records(&self) -> Result<RecordsReport, StateError> {
        verify(&self.state.journal, &self.state.row_key)
    }
}

/// Compares the rows of a database with its journal in one snapshot.
pub(crate) fn verify(journal: &JournalStore, row_key: &RowKey) -> Result<RecordsReport, StateError> {
    Ok(journal.read(|connection| {
        let mut report = RecordsReport::default();
        let compare = |report: &mut RecordsReport| -> rusqlite::Result<()> {
            let archived: i64 =
                connection.query_row("SELECT archived FROM journal_head", [], |row| row.get(0))?;
            let mut published = Published::read(connection)?;
            let totals = runs::compare(connection, archived, &mut published, report)?;
            totals.compare(connection, report)?;
            published.compare(connection, report)?;
            check_seals(connection, row_key, report)
        };
        compare(&mut report).map_err(JournalError::sqlite("compare rows with receipts"))?;
        Ok::<_, JournalError>(report)
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_after_the_hundredth_are_counted() {
        let mut report = RecordsReport::default();
        for row in 0..103 {
            report.add("runs", &row.to_string(), "one", "another");
        }
        assert_eq!((report.differences.len(), report.more, report.is_intact()), (100, 3, false));
    }
}

//! All sealed rows: read, checked, changed, and digested into one root.

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_common::fs::fault;
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::merkle;
use super::row::{RowKey, RowProblem, SealedTable, leaf_hash};

/// Maximum length of a row in bytes; the largest is a trust row with many keys.
const MAX_ROW_BYTES: i64 = 4 << 20;

/// The rows of every sealed table, by table and key; clones share the bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedRows(BTreeMap<(SealedTable, String), SealedRow>);

/// The bytes of a row, and its leaf hash in the root.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SealedRow {
    bytes: Arc<[u8]>,
    leaf: Sha256Digest,
}

/// Sets or removes one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChange {
    /// Inserts the row or replaces its bytes.
    Put {
        /// Table of the row.
        table: SealedTable,
        /// Primary key of the row.
        key: String,
        /// New content.
        bytes: Vec<u8>,
    },
    /// Removes the row.
    Delete {
        /// Table of the row.
        table: SealedTable,
        /// Primary key of the row.
        key: String,
    },
}

impl RowChange {
    /// Returns the table and the key of the row.
    pub fn row(&self) -> (SealedTable, &str) {
        match self {
            Self::Put { table, key, .. } | Self::Delete { table, key } => (*table, key),
        }
    }
}

/// A row that was rejected while reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFault {
    /// Table of the row.
    pub table: SealedTable,
    /// Primary key of the row.
    pub key: String,
    /// Why it was rejected.
    pub problem: RowProblem,
}

impl SealedRows {
    /// Returns the rows of one table in key order.
    pub fn table(&self, table: SealedTable) -> impl Iterator<Item = (&str, &[u8])> {
        self.0
            .range((table, String::new())..)
            .take_while(move |((of, _), _)| *of == table)
            .map(|((_, key), row)| (key.as_str(), &*row.bytes))
    }

    /// Returns the bytes of one row.
    pub fn get(&self, table: SealedTable, key: &str) -> Option<&[u8]> {
        self.0.get(&(table, key.to_owned())).map(|row| &*row.bytes)
    }

    /// Returns the Merkle root over all rows.
    pub fn root(&self) -> Sha256Digest {
        Sha256Digest::from_bytes(merkle::root(self.0.values().map(|row| *row.leaf.as_bytes())))
    }

    /// Returns the leaf hash of every row by its name, as in the journal.
    pub fn leaves(&self) -> BTreeMap<String, Sha256Digest> {
        self.0.iter().map(|((table, key), row)| (Self::name(*table, key), row.leaf)).collect()
    }

    /// Returns the name of a row in differences and leaves, for example `index_rows/acme.notes`.
    pub fn name(table: SealedTable, key: &str) -> String {
        format!("{}/{key}", table.name())
    }

    /// Returns the leaf hash of one row.
    pub fn leaf(table: SealedTable, key: &str, bytes: &[u8]) -> Sha256Digest {
        Sha256Digest::from_bytes(leaf_hash(table, key, bytes))
    }

    /// Computes the root from names and leaf hashes alone; names sort as rows do.
    pub fn root_of(leaves: &BTreeMap<String, Sha256Digest>) -> Sha256Digest {
        Sha256Digest::from_bytes(merkle::root(leaves.values().map(|leaf| *leaf.as_bytes())))
    }

    /// Returns the changes that write every row.
    pub fn all_changes(&self) -> Vec<RowChange> {
        let put = |((table, key), row): (&(SealedTable, String), &SealedRow)| RowChange::Put {
            table: *table,
            key: key.clone(),
            bytes: row.bytes.to_vec(),
        };
        self.0.iter().map(put).collect()
    }

    /// Returns the number of rows in all tables.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no table has a row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a copy of the rows with the changes applied.
    #[must_use]
    pub fn with(&self, changes: &[RowChange]) -> Self {
        let mut rows = self.clone();
        for change in changes {
            match change {
                RowChange::Put { table, key, bytes } => {
                    rows.put(*table, key.clone(), bytes);
                }
                RowChange::Delete { table, key } => {
                    rows.0.remove(&(*table, key.clone()));
                }
            }
        }
        rows
    }

    /// Returns a copy of the rows without those of one table.
    #[must_use]
    pub fn without(&self, table: SealedTable) -> Self {
        Self(
            self.0
                .iter()
                .filter(|((of, _), _)| *of != table)
                .map(|(key, row)| (key.clone(), row.clone()))
                .collect(),
        )
    }

    fn put(&mut self, table: SealedTable, key: String, bytes: &[u8]) {
        let leaf = Self::leaf(table, &key, bytes);
        self.0.insert((table, key), SealedRow { bytes: bytes.into(), leaf });
    }

    /// Returns the changes that make one table equal to `wanted`; other tables are not affected.
    pub fn changes_to(&self, table: SealedTable, wanted: &BTreeMap<String, Vec<u8>>) -> Vec<RowChange> {
        let gone = self.table(table).filter(|(key, _)| !wanted.contains_key(*key));
        let gone = gone.map(|(key, _)| RowChange::Delete { table, key: key.to_owned() });
        let put = wanted.iter().filter(|(key, bytes)| self.get(table, key) != Some(bytes));
        let put = put.map(|(key, bytes)| RowChange::Put { table, key: key.clone(), bytes: bytes.clone() });
        gone.chain(put).collect()
    }
}

/// Reads every row of every sealed table; rows with an invalid MAC are returned as faults.
pub(crate) fn read_tables(
    connection: &Connection,
    row_key: &RowKey,
) -> rusqlite::Result<(SealedRows, Vec<RowFault>)> {
    let (mut rows, mut faults) = (SealedRows::default(), Vec::new());
    for table in SealedTable::ALL {
        if table.came_later() && !has_table(connection, table)? {
            continue;
        }
        let sql = format!(
            "SELECT key, iif(length(bytes) <= {MAX_ROW_BYTES}, bytes, NULL), mac FROM {} ORDER BY key",
            table.name()
        );
        let mut statement = connection.prepare(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let (key, mac): (String, Vec<u8>) = (row.get(0)?, row.get(2)?);
            let Some(bytes) = row.get::<_, Option<Vec<u8>>>(1)? else {
                faults.push(RowFault { table, key, problem: RowProblem::TooLong });
                continue;
            };
            match row_key.check(table, &key, &bytes, &mac) {
                Ok(()) => {
                    rows.put(table, key, &bytes);
                }
                Err(problem) => faults.push(RowFault { table, key, problem }),
            }
        }
    }
    Ok((rows, faults))
}

fn has_table(connection: &Connection, table: SealedTable) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)";
    connection.query_row(sql, [table.name()], |row| row.get(0))
}

/// Writes changes, each row with its MAC.
pub(crate) fn write_changes(
    sql: &Transaction<'_>,
    row_key: &RowKey,
    changes: &[RowChange],
) -> rusqlite::Result<()> {
    for change in changes {
        fault::point("state.db: row")
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        match change {
            RowChange::Put { table, key, bytes } => {
                let mac = row_key.seal(*table, key, bytes);
                let text =
                    format!("INSERT OR REPLACE INTO {} (key, bytes, mac) VALUES (?1, ?2, ?3)", table.name());
                sql.prepare_cached(&text)?.execute(params![key, bytes, mac.as_slice()])?;
            }
            RowChange::Delete { table, key } => {
                let text = format!("DELETE FROM {} WHERE key = ?1", table.name());
                sql.prepare_cached(&text)?.execute([key])?;
            }
        }
    }
    Ok(())
}

/// Empties the sealed tables, before a repair writes every row.
pub(crate) fn empty_tables(sql: &Transaction<'_>) -> rusqlite::Result<()> {
    for table in SealedTable::ALL {
        sql.execute(&format!("DELETE FROM {}", table.name()), [])?;
    }
    Ok(())
}

/// Returns the generation recorded in the database, or `None` before the first change.
pub(crate) fn read_generation(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let sql = "SELECT value FROM meta WHERE name = 'generation'";
    let value: Option<Vec<u8>> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(value.and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes))
}

/// Records the generation in the transaction that changes the rows.
pub(crate) fn write_generation(sql: &Transaction<'_>, generation: u64) -> rusqlite::Result<()> {
    let text = "INSERT OR REPLACE INTO meta (name, value) VALUES ('generation', ?1)";
    sql.execute(text, [generation.to_be_bytes().as_slice()]).map(|_| ())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn put(table: SealedTable, key: &str) -> RowChange {
        RowChange::Put { table, key: key.into(), bytes: b"{}".to_vec() }
    }

    #[test]
    fn names_sort_as_rows_do() {
        let keys = ["", "a", "a/b", "a.b", "b", "~", "é"];
        let all = SealedTable::ALL.into_iter().flat_map(|table| keys.iter().map(move |key| put(table, key)));
        let rows = SealedRows::default().with(&all.collect::<Vec<_>>());
        assert_eq!(SealedRows::root_of(&rows.leaves()), rows.root());
        assert_eq!(rows.len(), SealedTable::ALL.len() * keys.len());
    }

    #[test]
    fn changes_lead_from_one_table_to_another_and_touch_no_third() {
        let old = SealedRows::default().with(&[
            put(SealedTable::Trust, "keep"),
            put(SealedTable::Trust, "gone"),
            put(SealedTable::Index, "other"),
        ]);
        let wanted = BTreeMap::from([("keep".to_owned(), b"{}".to_vec()), ("new".to_owned(), b"1".to_vec())]);
        let changes = old.changes_to(SealedTable::Trust, &wanted);
        assert_eq!(changes.len(), 2);
        let new = old.with(&changes);
        let trust: Vec<&str> = new.table(SealedTable::Trust).map(|(key, _)| key).collect();
        assert_eq!(trust, ["keep", "new"]);
        assert!(new.get(SealedTable::Index, "other").is_some());
        assert_ne!(old.root(), new.root());
    }
}

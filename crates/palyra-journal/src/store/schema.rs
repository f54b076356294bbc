//! The tables and their migrations.

use super::Migration;
use super::connection::{APPLICATION_ID, application_id};
use crate::JournalError;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The journal's own tables. Event rows contain the fields of the leaf, not the leaf itself.
const JOURNAL: &[Migration] = &[Migration {
    name: "journal-1",
    sql: "
CREATE TABLE journal_head (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 0),
    size INTEGER NOT NULL CHECK (size >= 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    archived INTEGER NOT NULL CHECK (archived BETWEEN 0 AND size)
) STRICT;
CREATE TABLE journal_event (
    seq INTEGER PRIMARY KEY CHECK (seq >= 0),
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT,
    run TEXT,
    skill TEXT,
    subject TEXT,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    details TEXT NOT NULL
) STRICT;
CREATE TABLE journal_block (
    block INTEGER PRIMARY KEY CHECK (block >= 0),
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    terms BLOB NOT NULL CHECK (length(terms) = 2048)
) STRICT;
CREATE TABLE journal_tile (
    level INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    root BLOB NOT NULL CHECK (length(root) = 32),
    hashes BLOB NOT NULL CHECK (length(hashes) = 8192),
    PRIMARY KEY (level, idx)
) STRICT;
CREATE TABLE journal_checkpoint (
    size INTEGER PRIMARY KEY CHECK (size >= 0),
    note TEXT NOT NULL
) STRICT;
CREATE TABLE journal_segment (
    first INTEGER PRIMARY KEY,
    end INTEGER NOT NULL CHECK (end > first),
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL
) STRICT;
CREATE TRIGGER journal_event_is_final BEFORE UPDATE ON journal_event
BEGIN SELECT RAISE(ABORT, 'journal events do not change'); END;
CREATE TRIGGER journal_event_stays BEFORE DELETE ON journal_event
WHEN OLD.seq >= (SELECT archived FROM journal_head)
BEGIN SELECT RAISE(ABORT, 'journal events stay until they are archived'); END;
",
}];

/// Creates the tables of a new database, in one transaction.
pub(super) fn initialise(
    connection: &mut Connection,
    path: &Path,
    owner: &[Migration],
    first_rows: impl FnOnce(&Transaction<'_>) -> Result<(), JournalError>,
) -> Result<(), JournalError> {
    let transaction = begin(connection)?;
    let tables: i64 = transaction
        .query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
        .map_err(JournalError::sqlite("look for tables"))?;
    if tables != 0 || application_id(&transaction)? != 0 {
        return Err(JournalError::AlreadyExists { path: path.to_owned() });
    }
    let create = || -> rusqlite::Result<()> {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.execute_batch(
            "CREATE TABLE schema_version (
                owner TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, sha256 BLOB NOT NULL,
                PRIMARY KEY (owner, number)
            ) STRICT, WITHOUT ROWID;",
        )
    };
    create().map_err(JournalError::sqlite("create tables"))?;
    migrate(&transaction, "journal", JOURNAL)?;
    migrate(&transaction, "owner", owner)?;
    first_rows(&transaction)?;
    commit(transaction)
}

/// Brings an existing database up to this version; one that a newer version has changed is refused.
pub(super) fn upgrade(
    connection: &mut Connection,
    path: &Path,
    owner: &[Migration],
) -> Result<(), JournalError> {
    let found = application_id(connection)?;
    if found != APPLICATION_ID {
        let expected = APPLICATION_ID;
        return Err(JournalError::NotAJournal { path: path.to_owned(), found, expected });
    }
    // Checked before the write transaction, so that an ordinary open writes nothing.
    if missing(connection, "journal", JOURNAL)?.is_empty() && missing(connection, "owner", owner)?.is_empty()
    {
        return Ok(());
    }
    let transaction = begin(connection)?;
    migrate(&transaction, "journal", JOURNAL)?;
    migrate(&transaction, "owner", owner)?;
    commit(transaction)
}

fn migrate(transaction: &Transaction<'_>, owner: &str, known: &[Migration]) -> Result<(), JournalError> {
    let missing = missing(transaction, owner, known)?;
    let applied = known.len() - missing.len();
    for (number, migration) in missing.iter().enumerate() {
        transaction.execute_batch(migration.sql).map_err(JournalError::sqlite("migrate tables"))?;
        let digest = digest(migration);
        transaction
            .execute(
                "INSERT INTO schema_version (owner, number, name, sha256) VALUES (?1, ?2, ?3, ?4)",
                params![owner, applied + number, migration.name, digest],
            )
            .map_err(JournalError::sqlite("record a migration"))?;
    }
    Ok(())
}

/// Returns the migrations that the database lacks; those it has must be a prefix of the known ones.
fn missing<'a>(
    connection: &Connection,
    owner: &str,
    known: &'a [Migration],
) -> Result<&'a [Migration], JournalError> {
    let read = || -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
        connection
            .prepare("SELECT name, sha256 FROM schema_version WHERE owner = ?1 ORDER BY number")?
            .query_map([owner], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    let applied = read().map_err(JournalError::sqlite("read the schema's version"))?;
    for (position, (name, found)) in applied.iter().enumerate() {
        let Some(migration) = known.get(position) else {
            return Err(JournalError::NewerSchema { found: name.clone() });
        };
        if migration.name != name || digest(migration) != found.as_slice() {
            return Err(JournalError::MigrationChanged { name: name.clone() });
        }
    }
    Ok(known.get(applied.len()..).unwrap_or_default())
}

fn digest(migration: &Migration) -> [u8; 32] {
    Sha256::digest(migration.sql).into()
}

fn begin(connection: &mut Connection) -> Result<Transaction<'_>, JournalError> {
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(JournalError::sqlite("ask for durability"))?;
    crate::fault::point("begin a migration")?;
    connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(JournalError::sqlite("begin a migration"))
}

fn commit(transaction: Transaction<'_>) -> Result<(), JournalError> {
    crate::fault::point("commit a migration")?;
    transaction.commit().map_err(JournalError::sqlite("commit a migration"))?;
    crate::fault::point("after a migration")
}

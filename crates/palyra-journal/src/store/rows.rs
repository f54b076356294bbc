//! Reading and writing single rows of events, heads and checkpoints.

use crate::event::{Encoded, LeafFields};
use crate::tree::Tile;
use crate::{Damage, JournalError, TreeHash, TreeHead};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Row, params};
use std::borrow::Cow;

/// The columns of an event in the order in which [`Stored`] reads them.
pub(super) const EVENT_COLUMNS: &str = "seq, at_ms, kind, actor, run, skill, subject, hash, details";

const INSERT_EVENT: &str =
    "INSERT INTO journal_event (seq, at_ms, kind, actor, run, skill, subject, hash, details)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

/// An event as its row states it; text is borrowed from the row.
pub(super) struct Stored<'a> {
    pub(super) sequence: u64,
    pub(super) fields: LeafFields<'a>,
    /// The hash of the leaf when it was written.
    pub(super) hash: TreeHash,
}

impl<'a> Stored<'a> {
    /// Reads a row of [`EVENT_COLUMNS`]; a value of a wrong type is damage at that sequence.
    pub(super) fn read(row: &'a Row<'_>) -> Result<Self, JournalError> {
        let sequence: u64 = row.get(0).map_err(|error| unreadable(0, &error))?;
        let bad = |error: &dyn std::fmt::Display| unreadable(sequence, error);
        let text = |column| -> Result<Option<Cow<'a, str>>, JournalError> {
            let value = row.get_ref(column).map_err(|error| bad(&error))?;
            Ok(value.as_str_or_null().map_err(|error| bad(&error))?.map(Cow::Borrowed))
        };
        let required = |column| text(column)?.ok_or_else(|| bad(&"a column is null"));
        let hash = row.get_ref(7).map_err(|error| bad(&error))?;
        let hash = hash.as_blob().ok().and_then(TreeHash::from_slice);
        Ok(Self {
            sequence,
            fields: LeafFields {
                at_ms: row.get(1).map_err(|error| bad(&error))?,
                kind: required(2)?,
                actor: text(3)?,
                run: text(4)?,
                skill: text(5)?,
                subject: text(6)?,
                details: required(8)?,
            },
            hash: hash.ok_or_else(|| bad(&"its hash is not 32 bytes long"))?,
        })
    }

    /// Returns the hash of the leaf, or [`Damage::EventChanged`] if the row does not hash to its stored value.
    pub(super) fn checked_hash(&self, scratch: &mut Vec<u8>) -> Result<TreeHash, Damage> {
        match self.fields.hash(scratch) {
            found if found == self.hash => Ok(found),
            found => Err(Damage::EventChanged { sequence: self.sequence, expected: self.hash, found }),
        }
    }
}

fn unreadable(sequence: u64, reason: &dyn std::fmt::Display) -> JournalError {
    Damage::EventUnreadable { sequence, reason: reason.to_string() }.into()
}

/// Visits the events `first..end` in order; each must be there.
pub(super) fn each_event(
    connection: &Connection,
    first: u64,
    end: u64,
    mut visit: impl FnMut(Stored<'_>) -> Result<(), JournalError>,
) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("read events");
    let sql = format!("SELECT {EVENT_COLUMNS} FROM journal_event WHERE seq >= ?1 AND seq < ?2 ORDER BY seq");
    let mut statement = connection.prepare_cached(&sql).map_err(failed())?;
    let mut rows = statement.query(params![first, end]).map_err(failed())?;
    let mut expected = first;
    while let Some(row) = rows.next().map_err(failed())? {
        let stored = Stored::read(row)?;
        if stored.sequence != expected {
            return Err(Damage::EventMissing { sequence: expected }.into());
        }
        visit(stored)?;
        expected += 1;
    }
    if expected < end { Err(Damage::EventMissing { sequence: expected }.into()) } else { Ok(()) }
}

/// Writes events; prepared once for many.
pub(super) struct EventInsert<'a>(CachedStatement<'a>);

impl<'a> EventInsert<'a> {
    pub(super) fn prepare(connection: &'a Connection) -> Result<Self, JournalError> {
        connection.prepare_cached(INSERT_EVENT).map(Self).map_err(JournalError::sqlite("write an event"))
    }

    pub(super) fn run(&mut self, sequence: u64, event: &Encoded) -> Result<(), JournalError> {
        let Encoded { fields, hash, .. } = event;
        let row = params![
            sequence,
            fields.at_ms,
            fields.kind.as_ref(),
            fields.actor.as_deref(),
            fields.run.as_deref(),
            fields.skill.as_deref(),
            fields.subject.as_deref(),
            hash.as_bytes(),
            fields.details.as_ref(),
        ];
        self.0.execute(row).map(drop).map_err(JournalError::sqlite("write an event"))
    }
}

/// Writes a full row of nodes.
pub(super) fn insert_tile(connection: &Connection, tile: &Tile) -> Result<(), JournalError> {
    let insert = || -> rusqlite::Result<usize> {
        connection
            .prepare_cached("INSERT INTO journal_tile (level, idx, root, hashes) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![tile.level, tile.index, tile.root.as_bytes(), tile.hashes])
    };
    insert().map(drop).map_err(JournalError::sqlite("write subtree hashes"))
}

/// Reads a stored row of nodes.
pub(super) fn read_tile(
    connection: &Connection,
    level: u32,
    index: u64,
) -> Result<Option<Tile>, JournalError> {
    let read = || -> rusqlite::Result<Option<([u8; 32], Vec<u8>)>> {
        connection
            .prepare_cached("SELECT root, hashes FROM journal_tile WHERE level = ?1 AND idx = ?2")?
            .query_row(params![level, index], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
    };
    let found = read().map_err(JournalError::sqlite("read subtree hashes"))?;
    Ok(found.map(|(root, hashes)| Tile { level, index, root: TreeHash::from_bytes(root), hashes }))
}

/// The head row: the head, and how many events have been moved to segment files.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadRow {
    pub(super) head: TreeHead,
    pub(super) archived: u64,
}

/// Reads the head row.
pub(super) fn read_head(connection: &Connection) -> Result<HeadRow, JournalError> {
    let read = || -> rusqlite::Result<Option<(u64, [u8; 32], u64)>> {
        connection
            .prepare_cached("SELECT size, root, archived FROM journal_head WHERE only_one = 0")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
    };
    match read() {
        Ok(Some((size, root, archived))) => {
            Ok(HeadRow { head: TreeHead { size, root: TreeHash::from_bytes(root) }, archived })
        }
        Ok(None) => Err(Damage::HeadUnreadable { reason: "there is no row".into() }.into()),
        Err(error) if error.sqlite_error_code().is_none() => {
            Err(Damage::HeadUnreadable { reason: error.to_string() }.into())
        }
        Err(error) => Err(JournalError::sqlite("read the journal's head")(error)),
    }
}

/// Updates the head row.
pub(super) fn write_head(connection: &Connection, head: &TreeHead) -> Result<(), JournalError> {
    let write = || -> rusqlite::Result<usize> {
        connection
            .prepare_cached("UPDATE journal_head SET size = ?1, root = ?2 WHERE only_one = 0")?
            .execute(params![head.size, head.root.as_bytes()])
    };
    match write().map_err(JournalError::sqlite("write the journal's head"))? {
        1 => Ok(()),
        _ => Err(Damage::HeadUnreadable { reason: "there is no row".into() }.into()),
    }
}

/// Returns the sequence of the last event row.
pub(super) fn last_sequence(connection: &Connection) -> Result<Option<u64>, JournalError> {
    connection
        .query_row("SELECT max(seq) FROM journal_event", [], |row| row.get(0))
        .map_err(JournalError::sqlite("find the last event"))
}

/// Inserts a signed checkpoint, or replaces it with an equal one.
pub(super) fn insert_checkpoint(connection: &Connection, size: u64, note: &str) -> Result<(), JournalError> {
    connection
        .execute(
            "INSERT OR REPLACE INTO journal_checkpoint (size, note) VALUES (?1, ?2)",
            params![size, note],
        )
        .map(drop)
        .map_err(JournalError::sqlite("write a checkpoint"))
}

/// Reads up to `limit` stored checkpoints of at least a size, the smallest first.
pub(super) fn checkpoints_from(
    connection: &Connection,
    first_size: u64,
    limit: usize,
) -> Result<Vec<(u64, String)>, JournalError> {
    let read = || -> rusqlite::Result<Vec<(u64, String)>> {
        connection
            .prepare_cached(
                "SELECT size, note FROM journal_checkpoint WHERE size >= ?1 ORDER BY size LIMIT ?2",
            )?
            .query_map(params![first_size, limit], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    read().map_err(JournalError::sqlite("read checkpoints"))
}

/// Reads the last stored checkpoint.
pub(super) fn last_checkpoint(connection: &Connection) -> Result<Option<(u64, String)>, JournalError> {
    connection
        .query_row("SELECT size, note FROM journal_checkpoint ORDER BY size DESC LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
        .map_err(JournalError::sqlite("read the last checkpoint"))
}

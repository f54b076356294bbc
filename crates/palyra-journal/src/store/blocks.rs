//! What each block of 1,024 events is about, so that a search can pass over the others.
//!
//! An index over skills or runs would make every commit write a page for each skill, and grow slower with
//! the journal; a summary is written once in 1,024 events and costs the same at any size. It can only say
//! "not here" or "look": a search that is told to look may find nothing, and nothing is ever missed.

use crate::{Damage, EventKind, JournalError};
use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};

/// Events in a block.
pub(super) const BLOCK: u64 = 1_024;
/// Bytes of the set of terms: 16 bits for each event of the block.
const TERM_BYTES: usize = 2 * BLOCK as usize;
/// Bits that a term sets; with a term per event a search looks in vain into one block of a thousand.
const PROBES: usize = 7;

/// A word that events are searched for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Term<'a> {
    Kind(&'a str),
    Run(&'a str),
    Skill(&'a str),
}

impl Term<'_> {
    /// The bits of this term.
    fn bits(self) -> impl Iterator<Item = usize> {
        let (tag, text) = match self {
            Self::Kind(text) => (b'k', text),
            Self::Run(text) => (b'r', text),
            Self::Skill(text) => (b's', text),
        };
        let hash: [u8; 32] = Sha256::new().chain_update([tag]).chain_update(text).finalize().into();
        (0..PROBES).filter_map(move |probe| {
            let pair = hash.get(probe * 2..probe * 2 + 2)?;
            Some(usize::from(u16::from_le_bytes(pair.try_into().ok()?)) % (TERM_BYTES * 8))
        })
    }
}

/// The summary of a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) first_ms: u64,
    pub(super) last_ms: u64,
    terms: Vec<u8>,
}

impl Summary {
    /// Whether the block may hold an event with this term.
    pub(super) fn may_hold(&self, term: Term<'_>) -> bool {
        term.bits().all(|bit| self.terms.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1))
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<(u64, Self)> {
        Ok((row.get(0)?, Self { first_ms: row.get(1)?, last_ms: row.get(2)?, terms: row.get(3)? }))
    }

    fn of_rows(connection: &Connection, block: u64) -> Result<Self, JournalError> {
        let failed = || JournalError::sqlite("summarise events");
        let mut summary = Self { first_ms: u64::MAX, last_ms: 0, terms: vec![0; TERM_BYTES] };
        // Neighbours are often of the same kind; hashing it once is enough.
        let mut last_kind = String::new();
        let mut statement = connection
            .prepare_cached("SELECT at_ms, kind, run, skill FROM journal_event WHERE seq >= ?1 AND seq < ?2")
            .map_err(failed())?;
        let mut found = statement.query(params![block * BLOCK, (block + 1) * BLOCK]).map_err(failed())?;
        while let Some(row) = found.next().map_err(failed())? {
            let at_ms: u64 = row.get(0).map_err(failed())?;
            let text = |column| -> Result<Option<&str>, JournalError> {
                let value = row.get_ref(column).map_err(failed())?;
                value.as_str_or_null().map_err(|error| failed()(error.into()))
            };
            summary.first_ms = summary.first_ms.min(at_ms);
            summary.last_ms = summary.last_ms.max(at_ms);
            if let Some(kind) = text(1)?.filter(|kind| *kind != last_kind) {
                summary.add(Term::Kind(kind));
                kind.clone_into(&mut last_kind);
            }
            text(2)?.into_iter().for_each(|run| summary.add(Term::Run(run)));
            text(3)?.into_iter().for_each(|skill| summary.add(Term::Skill(skill)));
        }
        Ok(summary)
    }

    fn add(&mut self, term: Term<'_>) {
        for bit in term.bits() {
            if let Some(byte) = self.terms.get_mut(bit / 8) {
                *byte |= 1 << (bit % 8);
            }
        }
    }
}

/// Summarises a block whose events have just all been written.
pub(super) fn summarise(connection: &Connection, block: u64) -> Result<(), JournalError> {
    let summary = Summary::of_rows(connection, block)?;
    let insert = || -> rusqlite::Result<usize> {
        connection
            .prepare_cached(
                "INSERT INTO journal_block (block, first_ms, last_ms, terms) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![block, summary.first_ms, summary.last_ms, summary.terms])
    };
    insert().map(drop).map_err(JournalError::sqlite("summarise events"))
}

/// The stored summary follows from the rows.
pub(super) fn check(connection: &Connection, block: u64) -> Result<(), JournalError> {
    let expected = Summary::of_rows(connection, block)?;
    let mut same = false;
    each_summary(connection, (block, block + 1), false, |_, found| {
        same = found == expected;
        Ok(true)
    })?;
    match same {
        true => Ok(()),
        false => Err(Damage::SummaryChanged { sequence: block * BLOCK }.into()),
    }
}

/// Visits the summaries of the blocks `first..end` in either order, for as long as `visit` says true.
pub(super) fn each_summary(
    connection: &Connection,
    (first, end): (u64, u64),
    newest_first: bool,
    mut visit: impl FnMut(u64, Summary) -> Result<bool, JournalError>,
) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("read summaries");
    let order = if newest_first { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT block, first_ms, last_ms, terms FROM journal_block
         WHERE block >= ?1 AND block < ?2 ORDER BY block {order}"
    );
    let mut statement = connection.prepare_cached(&sql).map_err(failed())?;
    let mut found = statement.query(params![first, end]).map_err(failed())?;
    for number in 0..end.saturating_sub(first) {
        let expected = if newest_first { end - 1 - number } else { first + number };
        let read = found.next().map_err(failed())?.map(Summary::read).transpose().map_err(failed())?;
        match read {
            Some((block, summary)) if block == expected => {
                if !visit(block, summary)? {
                    return Ok(());
                }
            }
            // A block without a summary would hide its events.
            _ => return Err(Damage::SummaryChanged { sequence: expected * BLOCK }.into()),
        }
    }
    Ok(())
}

/// Whether one of these kinds may be in the block; no kinds means any.
pub(super) fn may_hold_kind(summary: &Summary, kinds: &[EventKind]) -> bool {
    kinds.is_empty() || kinds.iter().any(|kind| summary.may_hold(Term::Kind(kind.as_str())))
}

/// Forgets the summaries of blocks whose rows are no longer there.
pub(super) fn forget(connection: &Connection, end_block: u64) -> Result<(), JournalError> {
    connection
        .execute("DELETE FROM journal_block WHERE block < ?1", params![end_block])
        .map(drop)
        .map_err(JournalError::sqlite("forget summaries"))
}

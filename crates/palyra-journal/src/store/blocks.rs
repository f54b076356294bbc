//! Summaries of blocks of 1,024 events, so that searches can skip blocks.
//!
//! An index over skills or runs would make every commit write a page per skill and become slower as the journal
//! grows. A summary is written once per 1,024 events at constant cost. It can have false positives but no false
//! negatives.

use crate::event::{Encoded, EventTerms, TERM_BITS, Term};
use crate::{Damage, EventKind, JournalError};
use rusqlite::{Connection, Row, params};

/// Number of events in a block.
pub(super) const BLOCK: u64 = 1_024;
/// Size of the set of terms, in bytes.
const TERM_BYTES: usize = TERM_BITS / 8;

/// The summary of a block: range of times and set of terms.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) first_ms: u64,
    pub(super) last_ms: u64,
    terms: Vec<u8>,
}

impl Summary {
    fn empty() -> Self {
        Self { first_ms: u64::MAX, last_ms: 0, terms: vec![0; TERM_BYTES] }
    }

    /// Returns whether the block may hold an event with this term.
    pub(super) fn may_hold(&self, term: Term<'_>) -> bool {
        let set =
            |bit: u16| self.terms.get(usize::from(bit / 8)).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        term.bits().into_iter().all(set)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<(u64, Self)> {
        Ok((row.get(0)?, Self { first_ms: row.get(1)?, last_ms: row.get(2)?, terms: row.get(3)? }))
    }

    fn of_rows(connection: &Connection, block: u64) -> Result<Self, JournalError> {
        let failed = || JournalError::sqlite("summarise events");
        let mut summary = Self::empty();
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
            summary.add(at_ms, &EventTerms::new(text(1)?.unwrap_or_default(), text(2)?, text(3)?));
        }
        Ok(summary)
    }

    fn add(&mut self, at_ms: u64, terms: &EventTerms) {
        self.first_ms = self.first_ms.min(at_ms);
        self.last_ms = self.last_ms.max(at_ms);
        for bit in terms.bits() {
            if let Some(byte) = self.terms.get_mut(usize::from(bit / 8)) {
                *byte |= 1 << (bit % 8);
            }
        }
    }

    fn write(&self, connection: &Connection, block: u64) -> Result<(), JournalError> {
        let insert = || -> rusqlite::Result<usize> {
            connection
                .prepare_cached(
                    "INSERT INTO journal_block (block, first_ms, last_ms, terms) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![block, self.first_ms, self.last_ms, self.terms])
        };
        insert().map(drop).map_err(JournalError::sqlite("summarise events"))
    }
}

/// The summary of the block being filled; read from the rows if the block was begun by an earlier process.
pub(super) struct OpenBlock(Option<Summary>);

impl OpenBlock {
    /// Returns the state before the start of a block was seen; the summary is then computed from the rows.
    pub(super) fn unknown() -> Self {
        Self(None)
    }

    /// Adds an event that was just written; the last one of a block completes its summary.
    pub(super) fn add(
        &mut self,
        connection: &Connection,
        sequence: u64,
        event: &Encoded,
    ) -> Result<(), JournalError> {
        if sequence.is_multiple_of(BLOCK) {
            self.0 = Some(Summary::empty());
        }
        if let Some(summary) = &mut self.0 {
            summary.add(event.fields.at_ms, &event.terms);
        }
        if !(sequence + 1).is_multiple_of(BLOCK) {
            return Ok(());
        }
        match self.0.take() {
            Some(summary) => summary.write(connection, sequence / BLOCK),
            None => summarise(connection, sequence / BLOCK),
        }
    }
}

/// Summarises a block from the rows of its events.
pub(super) fn summarise(connection: &Connection, block: u64) -> Result<(), JournalError> {
    Summary::of_rows(connection, block)?.write(connection, block)
}

/// Checks that the stored summary equals the one computed from the rows.
pub(super) fn check(connection: &Connection, block: u64) -> Result<(), JournalError> {
    let expected = Summary::of_rows(connection, block)?;
    let mut same = false;
    each_summary(connection, (block, block + 1), false, |_, found| {
        same = found == expected;
        Ok(true)
    })?;
    if same { Ok(()) } else { Err(Damage::SummaryChanged { sequence: block * BLOCK }.into()) }
}

/// Visits the summaries of the blocks `first..end` in either order, while `visit` returns true.
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

/// Returns whether the block may hold one of these kinds; an empty list matches any kind.
pub(super) fn may_hold_kind(summary: &Summary, kinds: &[EventKind]) -> bool {
    kinds.is_empty() || kinds.iter().any(|kind| summary.may_hold(Term::Kind(kind.as_str())))
}

/// Deletes the summaries of blocks whose rows were archived.
pub(super) fn forget(connection: &Connection, end_block: u64) -> Result<(), JournalError> {
    connection
        .execute("DELETE FROM journal_block WHERE block < ?1", params![end_block])
        .map(drop)
        .map_err(JournalError::sqlite("forget summaries"))
}

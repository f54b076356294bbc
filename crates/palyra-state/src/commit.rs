//! Commits one change of the state: rows and leaf in one transaction, with a two-phase update of the
//! vault's anchor.
//!
//! The order is `pending` in the vault → commit of the database → `committed` in the vault. If the process is
//! killed at any point, the next opening finds the database at one of the two anchors and completes the change.

use std::sync::Arc;

use palyra_common::fs::fault;
use palyra_journal::{Durability, JournalError, JournalTransaction, Leaf, NewEvent};

use crate::anchor::Anchor;
use crate::db::{RowChange, RowKey, empty_tables, read_generation, write_changes, write_generation};
use crate::error::StateError;
use crate::history::tell_rows;
use crate::keeper::Keeper;
use crate::state::{Gate, State, Unsettled};

/// Rows to set or remove, and the journal events; the digests of the rows are added to the first event.
pub(crate) struct Change {
    pub(crate) rows: Vec<RowChange>,
    pub(crate) events: Vec<NewEvent>,
}

impl State {
    /// Commits a change and publishes its view; returns the leaves of its events.
    pub(crate) fn commit(&self, gate: &mut Gate, change: Change) -> Result<Vec<Leaf>, StateError> {
        self.settle(gate)?;
        let generation = gate.view.generation() + 1;
        let rows = gate.view.rows().with(&change.rows);
        let root = rows.root();
        // Never write rows that cannot be read back.
        let view = gate.view.after(rows, &change.rows).map_err(|damage| StateError::Damaged { damage })?;
        let view = Arc::new(view);
        let mut events = change.events;
        tell_rows(&mut events, generation, &change.rows);
        let work = Work {
            keeper: self.keeper.clone(),
            row_key: Arc::clone(&self.row_key),
            rows: change.rows,
            start_over: false,
            promise: true,
            events,
            generation,
            root,
        };
        let (published, committed) = (Arc::clone(&self.published_view), Arc::clone(&view));
        let result = self.journal.transaction(Durability::Full, move |transaction| {
            let done = work.run(transaction)?;
            transaction.before_announcement(move || published.publish(&committed));
            Ok::<_, StateError>(done)
        });
        let result = result.wait();
        let happened = result.is_ok() || self.database_generation() == Some(generation);
        gate.unsettled = Some(if happened { Unsettled::Happened } else { Unsettled::Failed });
        if happened {
            // A commit that was reported as failed but happened was not published by the writer.
            if result.is_err() {
                self.published_view.publish(&view);
            }
            gate.view = view;
        }
        // The change is on disk. If the vault cannot be updated now, it is updated before the next change or
        // on opening.
        let _ = self.settle(gate);
        result.map(|(leaves, _)| leaves)
    }

    /// Confirms or withdraws the pending anchor of the previous commit in the vault.
    pub(crate) fn settle(&self, gate: &mut Gate) -> Result<(), StateError> {
        match gate.unsettled {
            Some(Unsettled::Happened) => self.keeper.fulfil()?,
            Some(Unsettled::Failed) => self.keeper.withdraw()?,
            None => {}
        }
        gate.unsettled = None;
        Ok(())
    }

    fn database_generation(&self) -> Option<u64> {
        let read = |connection: &rusqlite::Connection| {
            read_generation(connection).map_err(JournalError::sqlite("read the generation"))
        };
        self.journal.read(read).ok().flatten()
    }
}

/// The part of a commit that runs inside the transaction, on the writer's thread.
pub(crate) struct Work {
    pub(crate) keeper: Keeper,
    pub(crate) row_key: Arc<RowKey>,
    pub(crate) rows: Vec<RowChange>,
    /// True to delete every row that is not in `rows`.
    pub(crate) start_over: bool,
    /// True to write the pending anchor first; a first anchor and a repaired one are written afterwards.
    pub(crate) promise: bool,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) generation: u64,
    pub(crate) root: palyra_skills::Sha256Digest,
}

impl Work {
    pub(crate) fn run(
        self,
        transaction: &mut JournalTransaction<'_>,
    ) -> Result<(Vec<Leaf>, Anchor), StateError> {
        let sqlite = |error| StateError::from(JournalError::sqlite("write the owner's rows")(error));
        if self.start_over {
            empty_tables(transaction.sql()).map_err(sqlite)?;
        }
        write_changes(transaction.sql(), &self.row_key, &self.rows).map_err(sqlite)?;
        point("state.db: generation")?;
        write_generation(transaction.sql(), self.generation).map_err(sqlite)?;
        let mut leaves = Vec::with_capacity(self.events.len());
        for event in self.events {
            point("state.db: leaf")?;
            leaves.push(transaction.append(event)?);
        }
        let journal = transaction.checkpoint()?.head();
        let anchor = Anchor { generation: self.generation, root: self.root, journal };
        if self.promise {
            point("vault: promise")?;
            self.keeper.promise(&anchor)?;
        }
        point("state.db: commit")?;
        Ok((leaves, anchor))
    }
}

fn point(name: &'static str) -> Result<(), StateError> {
    let failed = |error| palyra_common::fs::FsError::io(name, std::path::Path::new("state.db"), error);
    fault::point(name).map_err(|error| failed(error).into())
}

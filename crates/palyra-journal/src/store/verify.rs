//! Verification: a fast check when the journal is opened, and a complete one.

use super::nodes::StoredNodes;
use super::rows::{self, HeadRow};
use super::{JournalStore, blocks, connection, readers};
use crate::proof::prove_consistency;
use crate::tree::{TILE_HEIGHT, TILE_WIDTH, Tile, TreeTail, range_root};
use crate::{Checkpoint, CheckpointKey, Damage, JournalError, TreeHash, TreeHead, Witness};
use rusqlite::Connection;
use serde::Serialize;
use std::path::Path;

/// The part of the journal that is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyScope {
    /// The last checkpoint and every leaf after it, as when opening.
    SinceLastCheckpoint,
    /// Every leaf, every stored hash and every checkpoint.
    Everything,
}

/// The scope of a verification, and the first damage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// The head in the database.
    pub head: TreeHead,
    /// Number of events in segment files, of which only the hashes were verified.
    pub archived: u64,
    /// Number of event rows whose hash was computed again.
    pub events_checked: u64,
    /// Number of verified checkpoints.
    pub checkpoints_checked: u64,
    /// The first damage found; `None` if the journal is intact.
    pub damage: Option<Damage>,
}

impl VerifyReport {
    /// Returns whether no damage was found.
    pub fn is_intact(&self) -> bool {
        self.damage.is_none()
    }
}

impl JournalStore {
    /// Verifies the journal, optionally also against a checkpoint that the caller supplies. Blocks.
    ///
    /// Damage is part of the report. An error means that the database could not be read.
    pub fn verify(
        &self,
        scope: VerifyScope,
        against: Option<&Checkpoint>,
    ) -> Result<VerifyReport, JournalError> {
        let keys = &self.keys;
        self.read(|connection| verify(connection, keys, scope, against))
    }
}

/// Verifies a database file without opening it as a journal: a copy on another machine, or one that does not open.
///
/// Damage is part of the report. An error means that the database could not be read.
pub fn inspect_journal(
    path: &Path,
    keys: &[CheckpointKey],
    scope: VerifyScope,
    against: Option<&Checkpoint>,
) -> Result<VerifyReport, JournalError> {
    let connection = connection::open_reader(path)?;
    readers::in_snapshot(&connection, |connection| verify(connection, keys, scope, against))
}

fn verify(
    connection: &Connection,
    keys: &[CheckpointKey],
    scope: VerifyScope,
    against: Option<&Checkpoint>,
) -> Result<VerifyReport, JournalError> {
    let mut report = VerifyReport {
        head: TreeHead::empty(),
        archived: 0,
        events_checked: 0,
        checkpoints_checked: 0,
        damage: None,
    };
    let HeadRow { head, archived } = match rows::read_head(connection) {
        Ok(row) => row,
        Err(JournalError::Damaged(damage)) => return Ok(VerifyReport { damage: Some(damage), ..report }),
        Err(error) => return Err(error),
    };
    (report.head, report.archived) = (head, archived);
    let checked = match scope {
        VerifyScope::SinceLastCheckpoint => check_recent(connection, keys, None).map(|checked| {
            report.checkpoints_checked = 1;
            report.events_checked = head.size - checked.last_checkpoint;
        }),
        VerifyScope::Everything => check_everything(connection, keys, &mut report),
    };
    let checked = checked.and_then(|()| match against {
        Some(checkpoint) => check_contains(connection, head, &checkpoint.head(), Witness::Outside),
        None => Ok(()),
    });
    match checked {
        Ok(()) => Ok(report),
        // Damage is a result of the verification; anything else means that it could not be performed.
        Err(JournalError::Damaged(damage)) => Ok(VerifyReport { damage: Some(damage), ..report }),
        Err(error) => Err(error),
    }
}

/// The state from which the writer continues.
pub(super) struct Checked {
    pub(super) tail: TreeTail,
    pub(super) last_checkpoint: u64,
}

/// Verifies the last checkpoint, every leaf after it, the head row and the anchored head.
pub(super) fn check_recent(
    connection: &Connection,
    keys: &[CheckpointKey],
    anchored: Option<&TreeHead>,
) -> Result<Checked, JournalError> {
    let row = rows::read_head(connection)?;
    let head = row.head;
    check_end(connection, &row)?;
    let (size, note) = rows::last_checkpoint(connection)?.ok_or(Damage::CheckpointMissing)?;
    let checkpoint = check_note(size, &note, keys)?;
    if size > head.size {
        return Err(truncated(head.size, size, Witness::Checkpoint));
    }
    let mut nodes = StoredNodes::new(connection, head.size);
    let mut tail = TreeTail::load(&mut nodes, size)?;
    check_root(&tail.head(), checkpoint.head().root, 0, Witness::Checkpoint)?;
    let mut scratch = Vec::new();
    rows::each_event(connection, size, head.size, |stored| {
        let hash = stored.checked_hash(&mut scratch)?;
        push(connection, &mut tail, hash)
    })?;
    check_root(&tail.head(), head.root, size, Witness::Head)?;
    if let Some(anchored) = anchored {
        check_contains(connection, head, anchored, Witness::Anchor)?;
    }
    Ok(Checked { tail, last_checkpoint: size })
}

/// Verifies every leaf from the first one on, with all stored hashes and checkpoints.
fn check_everything(
    connection: &Connection,
    keys: &[CheckpointKey],
    report: &mut VerifyReport,
) -> Result<(), JournalError> {
    let (head, archived) = (report.head, report.archived);
    check_end(connection, &HeadRow { head, archived })?;
    let mut tail = TreeTail::empty();
    let mut intact_before = 0;
    let mut scratch = Vec::new();
    loop {
        let size = tail.size();
        intact_before = check_notes_at(connection, keys, &tail.head(), intact_before, report)?;
        if size == head.size {
            break;
        }
        // Continue to the next position with something to compare: a checkpoint or the end of a tile.
        let tile_end = (size / TILE_WIDTH + 1) * TILE_WIDTH;
        let next =
            rows::checkpoints_from(connection, size + 1, 1)?.first().map_or(u64::MAX, |(size, _)| *size);
        let end = head.size.min(tile_end).min(next);
        let stored =
            if head.size >= tile_end { rows::read_tile(connection, 0, size / TILE_WIDTH)? } else { None };
        let tile_hash = |sequence: u64| {
            let start = (sequence % TILE_WIDTH) as usize * 32;
            stored.as_ref().and_then(|tile| TreeHash::from_slice(tile.hashes.get(start..start + 32)?))
        };
        if head.size >= tile_end && stored.is_none() {
            return Err(Damage::NodesMissing { sequence: size / TILE_WIDTH * TILE_WIDTH, level: 0 }.into());
        }
        if size < archived {
            for sequence in size..end {
                let missing = Damage::NodesMissing { sequence, level: 0 };
                push(connection, &mut tail, tile_hash(sequence).ok_or(missing)?)?;
            }
            continue;
        }
        rows::each_event(connection, size, end, |event| {
            let found = event.checked_hash(&mut scratch)?;
            if let Some(expected) = tile_hash(event.sequence).filter(|expected| *expected != found) {
                return Err(Damage::EventChanged { sequence: event.sequence, expected, found }.into());
            }
            report.events_checked += 1;
            push(connection, &mut tail, found)
        })?;
        if end.is_multiple_of(blocks::BLOCK) {
            blocks::check(connection, end / blocks::BLOCK - 1)?;
        }
    }
    check_root(&tail.head(), head.root, intact_before, Witness::Head)?;
    match rows::checkpoints_from(connection, head.size + 1, 1)?.first() {
        Some((size, _)) => Err(truncated(head.size, *size, Witness::Checkpoint)),
        None => Ok(()),
    }
}

/// Verifies the checkpoint for exactly this size, if there is one. Returns the size up to which the journal is intact.
fn check_notes_at(
    connection: &Connection,
    keys: &[CheckpointKey],
    head: &TreeHead,
    intact_before: u64,
    report: &mut VerifyReport,
) -> Result<u64, JournalError> {
    match rows::checkpoints_from(connection, head.size, 1)?.pop() {
        Some((size, note)) if size == head.size => {
            let checkpoint = check_note(size, &note, keys)?;
            check_root(head, checkpoint.head().root, intact_before, Witness::Checkpoint)?;
            report.checkpoints_checked += 1;
            Ok(size)
        }
        _ => Ok(intact_before),
    }
}

/// Adds a leaf and compares the tiles that it completes with the stored ones.
fn push(connection: &Connection, tail: &mut TreeTail, leaf: TreeHash) -> Result<(), JournalError> {
    let mut filled = Vec::new();
    tail.push(leaf, |tile| filled.push(tile));
    filled.iter().try_for_each(|tile| check_tile(connection, tile))
}

fn check_tile(connection: &Connection, tile: &Tile) -> Result<(), JournalError> {
    let width = TILE_HEIGHT * tile.level;
    let first = tile.index * TILE_WIDTH;
    let stored = rows::read_tile(connection, tile.level, tile.index)?
        .ok_or(Damage::NodesMissing { sequence: first << width, level: tile.level })?;
    let same = tile.hashes.chunks(32).zip(stored.hashes.chunks(32)).take_while(|(a, b)| a == b).count();
    if (same as u64) < TILE_WIDTH || stored.root != tile.root {
        let sequence = (first + (same as u64).min(TILE_WIDTH - 1)) << width;
        Err(Damage::NodesChanged { sequence, level: tile.level }.into())
    } else {
        Ok(())
    }
}

/// Checks that the last row is that of the head, and that no rows follow it.
fn check_end(connection: &Connection, row: &HeadRow) -> Result<(), JournalError> {
    let size = row.head.size;
    let end = rows::last_sequence(connection)?.map_or(row.archived, |sequence| sequence + 1);
    match end {
        end if end > size => Err(Damage::EventBeyondEnd { sequence: size, size }.into()),
        end if end < size => Err(truncated(end, size, Witness::Head)),
        _ => Ok(()),
    }
}

fn check_note(size: u64, note: &str, keys: &[CheckpointKey]) -> Result<Checkpoint, JournalError> {
    let invalid = |reason: String| JournalError::from(Damage::CheckpointInvalid { size, reason });
    let checkpoint = Checkpoint::open_with_any(note, keys).map_err(|error| invalid(error.to_string()))?;
    match checkpoint.head().size {
        found if found == size => Ok(checkpoint),
        found => Err(invalid(format!("it was signed for size {found}"))),
    }
}

fn check_root(
    found: &TreeHead,
    expected: TreeHash,
    intact_before: u64,
    witness: Witness,
) -> Result<(), JournalError> {
    if found.root == expected {
        Ok(())
    } else {
        let (size, found) = (found.size, found.root);
        Err(Damage::Forked { size, expected, found, intact_before, witness }.into())
    }
}

/// Checks that the journal extends a stored head.
fn check_contains(
    connection: &Connection,
    head: TreeHead,
    kept: &TreeHead,
    witness: Witness,
) -> Result<(), JournalError> {
    if kept.size > head.size {
        return Err(truncated(head.size, kept.size, witness));
    }
    let mut nodes = StoredNodes::new(connection, head.size);
    if prove_consistency(&mut nodes, *kept, head)?.verify().is_ok() {
        return Ok(());
    }
    let found = TreeHead { size: kept.size, root: range_root(&mut nodes, 0, kept.size)? };
    check_root(&found, kept.root, 0, witness)?;
    // The old root is correct, so a node between it and the current head is wrong.
    Err(Damage::NodesChanged { sequence: kept.size, level: 0 }.into())
}

fn truncated(found: u64, expected: u64, witness: Witness) -> JournalError {
    Damage::Truncated { found, expected, witness }.into()
}

//! Moves old events to segment files and back. Their hashes are kept, so every proof remains possible.

use super::blocks::{self, BLOCK};
use super::nodes::StoredNodes;
use super::rows::{self, EventInsert, HeadRow};
use super::{Durability, JournalStore, JournalTransaction};
use crate::proof::prove_range;
use crate::tree::NodeSource as _;
use crate::{Damage, EventKind, JournalError, NewEvent, Segment, SegmentError, TreeHash, VerifiedSegment};
use palyra_common::fs::Directory;
use rusqlite::params;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Number of events at which a segment is complete.
const SEGMENT_EVENTS: usize = 16_384;
/// Size in bytes at which a segment is complete. One more block of the largest events still fits into a file.
const SEGMENT_BYTES: usize = 32 << 20;

/// A written segment file whose rows were deleted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ArchivedSegment {
    /// The sequence of the first event.
    pub first: u64,
    /// The sequence after the last event.
    pub end: u64,
    /// The name of the file in the target directory.
    pub file: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

impl JournalStore {
    /// Moves events before a sequence to segment files in a directory, and records this in the journal. Blocks.
    ///
    /// Only whole blocks of 1,024 events that a signed checkpoint covers are moved. Each file is written, synced and
    /// verified before its rows are deleted. An error leaves the segments before it archived.
    pub fn archive(
        &self,
        before_sequence: u64,
        directory: &Path,
        at_ms: u64,
    ) -> Result<Vec<ArchivedSegment>, JournalError> {
        let directory = Directory::open_any(directory)?;
        let mut archived = Vec::new();
        while let Some(segment) = self.next_segment(before_sequence)? {
            archived.push(self.archive_segment(segment, &directory, at_ms)?);
        }
        Ok(archived)
    }

    /// Imports the events of the newest segment; blocks.
    pub fn import(&self, segment: VerifiedSegment, at_ms: u64) -> Result<(), JournalError> {
        self.transaction(Durability::Full, move |transaction| import(transaction, &segment, at_ms)).wait()
    }

    fn next_segment(&self, before_sequence: u64) -> Result<Option<Segment>, JournalError> {
        let keys = &self.keys;
        self.read(|connection| {
            let HeadRow { head, archived: first } = rows::read_head(connection)?;
            let (size, note) = rows::last_checkpoint(connection)?.ok_or(Damage::CheckpointMissing)?;
            let checkpoint = crate::Checkpoint::open_with_any(&note, keys)?.head();
            let end = before_sequence.min(size).min(head.size) / BLOCK * BLOCK;
            let (mut leaves, mut bytes, mut scratch) = (Vec::new(), 0, Vec::new());
            let mut next = first;
            while next < end && leaves.len() < SEGMENT_EVENTS && bytes < SEGMENT_BYTES {
                rows::each_event(connection, next, next + BLOCK, |stored| {
                    stored.checked_hash(&mut scratch)?;
                    bytes += scratch.len();
                    leaves.push(scratch.clone());
                    Ok(())
                })?;
                next += BLOCK;
            }
            if leaves.is_empty() {
                return Ok(None);
            }
            let mut nodes = StoredNodes::new(connection, head.size);
            let outside = prove_range(&mut nodes, first, next, checkpoint)?.outside;
            Ok(Some(Segment::new(first, leaves, outside, note)))
        })
    }

    fn archive_segment(
        &self,
        segment: Segment,
        directory: &Directory,
        at_ms: u64,
    ) -> Result<ArchivedSegment, JournalError> {
        let bytes = segment.encode();
        let (first, end) = (segment.first(), segment.end());
        // Rows are deleted only after the written segment can be read back.
        Segment::decode(&bytes)?.verify(&self.keys)?;
        let file = format!("journal-{first:012}-{end:012}.segment");
        directory.write(&file, &bytes)?;
        let archived = ArchivedSegment { first, end, file, sha256: hex::encode(Sha256::digest(&bytes)) };
        let result = archived.clone();
        self.transaction(Durability::Full, move |transaction| forget(transaction, &archived, at_ms))
            .wait()?;
        Ok(result)
    }
}

/// Deletes the rows of a segment and records that it was archived.
fn forget(
    transaction: &mut JournalTransaction<'_>,
    archived: &ArchivedSegment,
    at_ms: u64,
) -> Result<(), JournalError> {
    let ArchivedSegment { first, end, file, sha256 } = archived;
    let sql = transaction.sql();
    let forget = || -> rusqlite::Result<()> {
        sql.execute("UPDATE journal_head SET archived = ?1 WHERE archived = ?2", params![end, first])?;
        sql.execute("DELETE FROM journal_event WHERE seq >= ?1 AND seq < ?2", params![first, end])?;
        sql.execute(
            "INSERT INTO journal_segment (first, end, file, sha256) VALUES (?1, ?2, ?3, ?4)",
            params![first, end, file, sha256],
        )?;
        Ok(())
    };
    forget().map_err(JournalError::sqlite("archive events"))?;
    blocks::forget(sql, end / BLOCK)?;
    let details = json!({"first": first, "end": end, "file": file, "sha256": sha256});
    transaction.append(NewEvent::new(EventKind::JournalArchived, at_ms).details(details)).map(drop)
}

fn import(
    transaction: &mut JournalTransaction<'_>,
    verified: &VerifiedSegment,
    at_ms: u64,
) -> Result<(), JournalError> {
    let (first, end) = (verified.segment().first(), verified.segment().end());
    let sql = transaction.sql();
    let HeadRow { head, archived } = rows::read_head(sql)?;
    if archived != end || !first.is_multiple_of(BLOCK) {
        return Err(SegmentError::NotAdjacent { end, archived }.into());
    }
    let mut nodes = StoredNodes::new(sql, head.size);
    let mut insert = EventInsert::prepare(sql)?;
    for event in verified.encoded() {
        let (sequence, encoded) = event?;
        // A checkpoint by the right key may still be of a fork; these are the hashes of this journal.
        let (expected, found): (TreeHash, TreeHash) = (nodes.node(0, sequence)?, encoded.hash);
        if expected != found {
            return Err(Damage::EventChanged { sequence, expected, found }.into());
        }
        insert.run(sequence, &encoded)?;
    }
    drop(insert);
    let forget = || -> rusqlite::Result<()> {
        sql.execute("UPDATE journal_head SET archived = ?1 WHERE archived = ?2", params![first, end])?;
        sql.execute("DELETE FROM journal_segment WHERE first >= ?1 AND first < ?2", params![first, end])?;
        Ok(())
    };
    forget().map_err(JournalError::sqlite("import events"))?;
    (first / BLOCK..end / BLOCK).try_for_each(|block| blocks::summarise(sql, block))?;
    let details = json!({"first": first, "end": end});
    transaction.append(NewEvent::new(EventKind::JournalImported, at_ms).details(details)).map(drop)
}

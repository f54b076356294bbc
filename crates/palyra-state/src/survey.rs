//! Compares a state root with its anchor and reports every difference.
//!
//! Opening requires a survey without differences; a repair starts from one with differences.

use palyra_common::fs::Directory;
use palyra_journal::{JournalError, JournalOptions, JournalStore, TreeHead};
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, OpenFlags};

use crate::anchor::{AnchorStatus, Anchors};
use crate::damage::Damage;
use crate::db::{MIGRATIONS, RowFault, RowKey, RowProblem, SealedRows, read_generation, read_tables};
use crate::error::StateError;
use crate::history::expected_rows;
use crate::keeper::Keeper;
use crate::root::StateRoot;

const REPAIR: &str = "restore the latest copy of `state.db`, or accept this one with `palyra trust repair`";
const REPAIR_ROW: &str = "a repair drops this row; its decision has to be made again";
const RESTORE: &str = "restore it from a backup that has the same `vault`";

/// The content of a state root, with the differences from its anchor.
pub(crate) struct Survey {
    pub(crate) damage: Damage,
    pub(crate) rows: SealedRows,
    pub(crate) generation: Option<u64>,
    pub(crate) anchors: Anchors,
    /// The anchor that the database matches.
    pub(crate) anchor_status: AnchorStatus,
    /// The journal, if it could be opened and reaches the anchored head.
    pub(crate) journal: Option<JournalStore>,
}

/// Checks everything. An error means that the check was impossible, not that it found a difference.
pub(crate) fn survey(
    root: &StateRoot,
    directory: &Directory,
    keeper: &Keeper,
    row_key: &RowKey,
) -> Result<Survey, StateError> {
    let mut damage = Damage::default();
    check_entries(directory, &mut damage)?;
    let anchors = keeper.anchors(&mut damage)?;
    let head = keeper.head(&mut damage)?;
    let (rows, generation) = read_database(root, row_key, &mut damage);
    let anchor_status = anchors.anchor_status(generation, &rows.root());
    let anchor = match &anchor_status {
        AnchorStatus::Committed(anchor) | AnchorStatus::Finish(anchor) => Some(anchor.clone()),
        AnchorStatus::Neither => None,
    };
    let anchored = anchor.as_ref().or(anchors.committed.as_ref()).map(|anchor| anchor.journal);
    let kept = [anchored, head].into_iter().flatten().max_by_key(|head| head.size);
    let journal = open_journal(root, keeper, kept, &mut damage)?;
    if anchor.is_none() {
        compare_generation(&anchors, generation, &mut damage);
        compare_rows(&anchors, &rows, journal.as_ref(), &mut damage);
    }
    Ok(Survey { damage, rows, generation, anchors, anchor_status, journal })
}

fn check_entries(directory: &Directory, damage: &mut Damage) -> Result<(), StateError> {
    for (name, what) in [("state.db", "file"), ("objects", "folder")] {
        if !directory.contains(name)? {
            damage.add(format!("`{name}`"), format!("a {what}"), "nothing", RESTORE);
        }
    }
    Ok(())
}

/// Reads the sealed rows with valid MACs; other rows, and a file that is not a database, are added to `damage`.
fn read_database(root: &StateRoot, row_key: &RowKey, damage: &mut Damage) -> (SealedRows, Option<u64>) {
    if !root.database().exists() {
        return (SealedRows::default(), None);
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let read = Connection::open_with_flags(root.database(), flags).and_then(|connection| {
        let (rows, faults) = read_tables(&connection, row_key)?;
        Ok((rows, faults, read_generation(&connection)?))
    });
    match read {
        Ok((rows, faults, generation)) => {
            faults.iter().for_each(|fault| add_row_fault(fault, damage));
            (rows, generation)
        }
        Err(error) => {
            damage.add("`state.db`", "a database with the owner's tables", format!("`{error}`"), REPAIR);
            (SealedRows::default(), None)
        }
    }
}

fn add_row_fault(fault: &RowFault, damage: &mut Damage) {
    let found = match fault.problem {
        RowProblem::Mac => "a row that this owner did not write",
        RowProblem::MacLength => "a row without a MAC",
        RowProblem::TooLong => "a row above the size limit",
    };
    damage.add(row_name(fault.table.name(), &fault.key), "a row with the owner's MAC", found, REPAIR_ROW);
}

/// Opens the journal; a damaged one is added to `damage`, an I/O error is returned.
fn open_journal(
    root: &StateRoot,
    keeper: &Keeper,
    kept: Option<TreeHead>,
    damage: &mut Damage,
) -> Result<Option<JournalStore>, StateError> {
    if !root.database().exists() {
        return Ok(None);
    }
    match JournalStore::open(&root.database(), journal_options(keeper, kept)?) {
        Ok(journal) => Ok(Some(journal)),
        Err(JournalError::Damaged(found)) => {
            let expected = kept.map_or_else(|| "an intact journal".to_owned(), |kept| head_text(&kept));
            damage.add("the journal", expected, &found, found.hint());
            Ok(None)
        }
        Err(error @ (JournalError::NotAJournal { .. } | JournalError::MigrationChanged { .. })) => {
            damage.add("`state.db`", "the journal's tables", &error, REPAIR);
            Ok(None)
        }
        Err(error) if is_corrupt(&error) => {
            damage.add("`state.db`", "a database", format!("`{}`", chain(&error)), REPAIR);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn journal_options(keeper: &Keeper, kept: Option<TreeHead>) -> Result<JournalOptions, StateError> {
    Ok(JournalOptions {
        anchored_head: kept,
        migrations: MIGRATIONS.to_vec(),
        ..JournalOptions::new(keeper.signer()?)
    })
}

fn is_corrupt(error: &JournalError) -> bool {
    use rusqlite::ErrorCode;
    match error {
        JournalError::Sqlite { source, .. } => match source.sqlite_error_code() {
            Some(code) => {
                matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
            }
            None => true,
        },
        _ => false,
    }
}

fn compare_generation(anchors: &Anchors, found: Option<u64>, damage: &mut Damage) {
    let expected = match (&anchors.committed, &anchors.pending) {
        // A missing anchor was already reported when the vault was read.
        (None, None) if !damage.is_none() => return,
        (None, None) => {
            damage.add("the anchor in the vault", "the anchor of the last commit", "none", RESTORE);
            return;
        }
        (Some(committed), Some(pending)) if committed.generation != pending.generation => {
            format!("generation {} or {}", committed.generation, pending.generation)
        }
        (Some(anchor), _) | (None, Some(anchor)) => format!("generation {}", anchor.generation),
    };
    let known = [&anchors.committed, &anchors.pending].into_iter().flatten();
    if known.into_iter().any(|anchor| Some(anchor.generation) == found) {
        return;
    }
    let remedy = match found {
        Some(found) if found > anchors.highest_generation() => RESTORE,
        _ => REPAIR,
    };
    let found = found.map_or_else(|| "none".to_owned(), |found| format!("generation {found}"));
    damage.add("the generation of `state.db`", expected, found, remedy);
}

/// Reports the rows that differ if the journal contains the expected ones, otherwise only the root.
fn compare_rows(anchors: &Anchors, rows: &SealedRows, journal: Option<&JournalStore>, damage: &mut Damage) {
    let Some(anchor) = &anchors.committed else { return };
    let found = rows.root();
    if found == anchor.root {
        return;
    }
    damage.add("the rows of trust, index and consent", anchor.root, found, REPAIR);
    let Some(expected) = journal.and_then(|journal| expected_rows(journal, anchor)) else { return };
    let have = rows.leaves();
    for (name, leaf) in &expected {
        match have.get(name) {
            None => damage.add(format!("row `{name}`"), leaf, "nothing", REPAIR_ROW),
            Some(other) if other != leaf => damage.add(format!("row `{name}`"), leaf, other, REPAIR_ROW),
            Some(_) => {}
        }
    }
    for (name, leaf) in have.iter().filter(|(name, _)| !expected.contains_key(*name)) {
        damage.add(format!("row `{name}`"), "nothing", leaf, REPAIR_ROW);
    }
}

pub(crate) fn row_name(table: &str, key: &str) -> String {
    format!("row `{table}/{}`", palyra_common::redact::escape_untrusted(key))
}

pub(crate) fn head_text(head: &TreeHead) -> String {
    format!("{} events with root `{}`", head.size, head.root)
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Leaf hashes of rows by name.
pub(crate) type RowLeaves = std::collections::BTreeMap<String, Sha256Digest>;

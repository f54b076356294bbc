//! The expected rows of a generation, derived from the journal.
//!
//! The leaf of every change names the rows it set, each with its leaf hash in the root, and the rows it
//! removed. Folding the leaves gives the rows of any generation; the result is accepted only if its root is
//! the anchored one.

use std::collections::BTreeMap;

use palyra_journal::{JournalStore, NewEvent, Query};
use palyra_skills::Sha256Digest;
use serde_json::{Map, Value, json};

use crate::anchor::Anchor;
use crate::db::{RowChange, SealedRows, SealedTable};
use crate::survey::RowLeaves;

/// Field of a leaf's details that lists changed rows.
const ROWS: &str = "rows";
const PAGE: usize = 1_000;

/// Adds the changed rows to the details of the events: the row of a skill to the last event about that skill,
/// every other row to the first event.
pub(crate) fn tell_rows(events: &mut [NewEvent], generation: u64, changes: &[RowChange]) {
    let mut rows_of_events: Vec<Map<String, Value>> = vec![Map::new(); events.len()];
    for change in changes {
        let (table, key, leaf) = match change {
            RowChange::Put { table, key, bytes } => {
                (*table, key, json!(SealedRows::leaf(*table, key, bytes).to_string()))
            }
            RowChange::Delete { table, key } => (*table, key, Value::Null),
        };
        let of_skill = |event: &NewEvent| table == SealedTable::Index && event.skill.as_ref() == Some(key);
        let place = events.iter().rposition(of_skill).unwrap_or(0);
        if let Some(rows) = rows_of_events.get_mut(place) {
            rows.insert(SealedRows::name(table, key), leaf);
        }
    }
    for (index, (event, rows)) in events.iter_mut().zip(rows_of_events).enumerate() {
        if index > 0 && rows.is_empty() {
            continue;
        }
        let mut details = match std::mem::take(&mut event.details) {
            Value::Object(details) => details,
            other => Map::from_iter([("note".to_owned(), other)]),
        };
        details.insert("generation".into(), json!(generation));
        details.insert(ROWS.into(), Value::Object(rows));
        event.details = Value::Object(details);
    }
}

/// Returns the leaf hash of a row according to the details of a leaf.
pub(crate) fn row_in(details: &Value, row: &str) -> Option<Sha256Digest> {
    details.get(ROWS)?.get(row)?.as_str()?.parse().ok()
}

/// Returns the rows of an anchored generation by name, or `None` if the leaves in the journal do not lead to its root.
pub(crate) fn expected_rows(journal: &JournalStore, anchor: &Anchor) -> Option<RowLeaves> {
    let mut rows = RowLeaves::new();
    let first = Query { before_sequence: Some(anchor.journal.size), limit: PAGE, ..Query::default() };
    let mut query = Some(first);
    while let Some(next) = query {
        let page = journal.query(&next).ok()?;
        page.events.iter().for_each(|recorded| fold(&mut rows, &recorded.event.details));
        query = page.next;
    }
    (SealedRows::root_of(&rows) == anchor.root).then_some(rows)
}

fn fold(rows: &mut BTreeMap<String, Sha256Digest>, details: &Value) {
    // The leaf of a repair or restore lists every row.
    if details.get("all_rows").and_then(Value::as_bool) == Some(true) {
        rows.clear();
    }
    let Some(changed) = details.get(ROWS).and_then(Value::as_object) else { return };
    for (name, leaf) in changed {
        match leaf.as_str().and_then(|text| text.parse().ok()) {
            Some(leaf) => drop(rows.insert(name.clone(), leaf)),
            None => drop(rows.remove(name)),
        }
    }
}

//! Compares rows of runs and small tapes with the receipts of their runs.

use palyra_skills::Sha256Digest;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::Value;

use super::RecordsReport;
use super::messages::Published;
use super::receipt::{LEAF_COLUMNS, ReceiptLeaf};
use super::totals::Totals;
use crate::runs::{RUN_COLUMNS, read_run};

const RECEIPTS: &str = "e.kind IN ('run:completed', 'run:failed')";

/// Compares every receipt with its row, then finds rows without a receipt; returns the totals of the receipts.
pub(super) fn compare(
    connection: &Connection,
    archived: i64,
    published: &mut Published,
    report: &mut RecordsReport,
) -> rusqlite::Result<Totals> {
    let mut totals = Totals::new(archived > 0);
    let sql = format!(
        "SELECT {LEAF_COLUMNS}, t.bytes, r.receipt,
                (SELECT failure FROM run_notes WHERE run_notes.run_id = e.run), {RUN_COLUMNS}
         FROM journal_event e LEFT JOIN runs r ON r.run_id = e.run LEFT JOIN run_tapes t ON t.leaf = e.seq
         WHERE {RECEIPTS} ORDER BY e.seq"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(leaf) = ReceiptLeaf::read(row, 0)? else { continue };
        compare_run(row, &leaf, report)?;
        totals.add(&leaf);
        published.add(&leaf);
        report.runs += 1;
    }
    unproven_rows(connection, archived, report)?;
    Ok(totals)
}

fn compare_run(row: &Row<'_>, leaf: &ReceiptLeaf, report: &mut RecordsReport) -> rusqlite::Result<()> {
    let run_id = leaf.run.clone().unwrap_or_default();
    if let Some(bytes) = row.get::<_, Option<Vec<u8>>>(8)? {
        let (expected, found) = (leaf.facts.tape_sha256.as_deref(), Sha256Digest::of(&bytes).to_string());
        if expected != Some(found.as_str()) {
            let expected = format!("the tape `{}` of run `{run_id}`", expected.unwrap_or("(none)"));
            report.add("run_tapes", &leaf.sequence.to_string(), expected, format!("`{found}`"));
        }
    }
    if let Some(failure) = row.get_ref(10)?.as_str_or_null()? {
        let (expected, found) =
            (leaf.facts.failure_sha256.as_deref(), Sha256Digest::of(failure.as_bytes()).to_string());
        if expected != Some(found.as_str()) {
            let expected = format!("the failure `{}` of its receipt", expected.unwrap_or("(none)"));
            report.add("run_notes", &run_id, expected, format!("`{found}`"));
        }
    }
    if row.get_ref(11)? == ValueRef::Null {
        report.add("runs", &run_id, format!("the row of the receipt at leaf {}", leaf.sequence), "nothing");
        return Ok(());
    }
    // Rows of earlier versions contain a copy of the facts, which lists show instead.
    if let Some(copy) = row.get_ref(9)?.as_str_or_null()? {
        let details = row.get_ref(7)?.as_str()?;
        let same = |text: &str| serde_json::from_str::<Value>(text).ok();
        if same(copy) != same(details) {
            report.add("runs", &run_id, "a copy of the facts of its receipt", "other facts in `receipt`");
        }
    }
    let run = read_run(row, 11)?;
    for difference in leaf.differences(&run) {
        let (expected, found) = (difference.expected, difference.found);
        let of = |value: String| format!("{} {value}", difference.field);
        report.add("runs", &run_id, of(expected), of(found));
    }
    Ok(())
}

/// Reports rows without a receipt. A run in progress has none yet, and receipts in segment files cannot be read here.
fn unproven_rows(connection: &Connection, archived: i64, report: &mut RecordsReport) -> rusqlite::Result<()> {
    let of_leaf = |leaf: &str| format!("SELECT 1 FROM journal_event e WHERE e.seq = {leaf} AND {RECEIPTS}");
    let sql = format!(
        "SELECT run_id FROM runs WHERE
         CASE WHEN receipt_leaf IS NULL THEN status <> 'started'
         ELSE receipt_leaf >= ?1 AND NOT EXISTS ({} AND e.run = runs.run_id) END ORDER BY run_id",
        of_leaf("runs.receipt_leaf")
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([archived])?;
    while let Some(row) = rows.next()? {
        report.add(
            "runs",
            row.get_ref(0)?.as_str()?,
            "the receipt of a run that ended",
            "none in the journal",
        );
    }
    let sql = format!(
        "SELECT leaf FROM run_tapes WHERE leaf >= ?1 AND NOT EXISTS ({}) ORDER BY leaf",
        of_leaf("run_tapes.leaf")
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([archived])?;
    while let Some(row) = rows.next()? {
        let leaf: i64 = row.get(0)?;
        report.add("run_tapes", &leaf.to_string(), "the receipt of a run", "none in the journal");
    }
    Ok(())
}

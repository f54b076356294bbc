//! The receipt of a run as its leaf records it, and the columns that a row must have according to it.

use std::collections::BTreeMap;

use rusqlite::Row;
use serde::Deserialize;

use crate::db::unsigned;
use crate::runs::RunRow;
use crate::text::time_of_id;

/// Columns of a leaf in the order in which [`ReceiptLeaf::read`] reads them; `e` is the table of events.
pub(crate) const LEAF_COLUMNS: &str = "e.seq, e.at_ms, e.kind, e.actor, e.run, e.skill, e.subject, e.details";
/// Tolerance between the time in a run id and `started_at`: earlier versions read the clock once for each.
const CLOCK_SLACK_MS: u64 = 60_000;

/// The leaf of a run that ended.
#[derive(Debug)]
pub(crate) struct ReceiptLeaf {
    pub(super) sequence: u64,
    at_ms: u64,
    completed: bool,
    actor: Option<String>,
    pub(super) run: Option<String>,
    pub(super) skill: Option<String>,
    subject: Option<String>,
    pub(super) facts: Facts,
}

/// The facts of a receipt that rows repeat.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Facts {
    payload: Option<String>,
    pub(super) error: Option<String>,
    pub(super) tape_sha256: Option<String>,
    /// Missing in receipts of earlier versions.
    pub(super) failure_sha256: Option<String>,
    session: Option<String>,
    pub(super) capabilities: BTreeMap<String, Count>,
    /// Uses of touched resources by kind and name; missing in receipts of earlier versions.
    pub(super) touched: Option<BTreeMap<String, BTreeMap<String, u64>>>,
}

/// Uses and denials of a capability in one run.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(super) struct Count {
    pub(super) used: u64,
    pub(super) denied: u64,
}

/// A column that differs from the receipt.
pub(crate) struct FieldDifference {
    pub(crate) field: &'static str,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl ReceiptLeaf {
    /// Reads [`LEAF_COLUMNS`] from column `at` on; returns `None` if there is no leaf, or it is not that of a run.
    pub(crate) fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Self>> {
        let Some(sequence) = row.get::<_, Option<i64>>(at)? else { return Ok(None) };
        let completed = match row.get_ref(at + 2)?.as_str()? {
            "run:completed" => true,
            "run:failed" => false,
            _ => return Ok(None),
        };
        let details = row.get_ref(at + 7)?.as_str()?;
        Ok(Some(Self {
            sequence: unsigned(sequence),
            at_ms: unsigned(row.get(at + 1)?),
            completed,
            actor: row.get(at + 3)?,
            run: row.get(at + 4)?,
            skill: row.get(at + 5)?,
            subject: row.get(at + 6)?,
            // An altered leaf is reported by the verification of the journal, so unreadable details are not
            // an error here.
            facts: serde_json::from_str(details).unwrap_or_default(),
        }))
    }

    /// Returns whether the run was interrupted: such a leaf records no facts of the run.
    pub(super) fn is_interrupted(&self) -> bool {
        self.facts.error.as_deref() == Some("interrupted")
    }

    fn status(&self) -> &'static str {
        match (self.completed, self.facts.error.as_deref()) {
            (true, _) => "completed",
            (false, Some("cancelled")) => "cancelled",
            (false, Some("interrupted")) => "interrupted",
            (false, _) => "failed",
        }
    }

    /// Returns the columns of a row that differ from this receipt.
    pub(crate) fn differences(&self, run: &RunRow) -> Vec<FieldDifference> {
        let mut differences = Vec::new();
        let mut compare = |field, expected: Option<String>, found: Option<String>| {
            if expected != found {
                let text = |value: Option<String>| value.map_or("nothing".into(), |text| format!("`{text}`"));
                differences.push(FieldDifference { field, expected: text(expected), found: text(found) });
            }
        };
        let number = |number: u64| Some(number.to_string());
        let (facts, some) = (&self.facts, |text: &str| Some(text.to_owned()));
        compare("run_id", self.run.clone(), some(&run.run_id));
        compare("status", some(self.status()), some(&run.status));
        compare("skill_id", self.skill.clone(), some(&run.skill_id));
        compare("tool_id", self.subject.clone(), some(&run.tool_id));
        compare("payload", facts.payload.clone(), some(&run.payload));
        compare("finished_ms", number(self.at_ms), run.finished_ms.map(|ms| ms.to_string()));
        compare("error", facts.error.clone(), run.error.clone());
        compare("receipt_leaf", number(self.sequence), run.receipt_leaf.map(|leaf| leaf.to_string()));
        // Rows of earlier versions have no principal, and their leaf names the owner if they were interrupted.
        if run.principal.is_some() || !self.is_interrupted() {
            compare("principal", self.actor.clone(), run.principal.clone());
        }
        // The tape of a trimmed run is named by the receipt alone.
        if run.tape.is_some() {
            compare("tape", facts.tape_sha256.clone(), run.tape.clone());
        }
        if facts.touched.is_some() {
            compare("session", facts.session.clone(), run.session.clone());
        }
        if let Some(began) = time_of_id(&run.run_id)
            && began.abs_diff(run.started_ms) > CLOCK_SLACK_MS
        {
            compare("started_ms", number(began), number(run.started_ms));
        }
        differences
    }
}

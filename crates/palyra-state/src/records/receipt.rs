//! The receipt of a run as its leaf has it, and what a row must say according to it.

use std::collections::BTreeMap;

use rusqlite::Row;
use serde::Deserialize;

use crate::db::unsigned;
use crate::runs::RunRow;
use crate::text::time_of_id;

/// The columns of a leaf, in the order [`ReceiptLeaf::read`] takes them; `e` is the table of events.
pub(crate) const LEAF_COLUMNS: &str = "e.seq, e.at_ms, e.kind, e.actor, e.run, e.skill, e.subject, e.details";
/// How far the time in an id and that of its row may be apart: earlier versions looked at the clock twice.
const CLOCK_SLACK_MS: u64 = 60_000;

/// The leaf of a run.
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
    /// Receipts of earlier versions do not say.
    pub(super) failure_sha256: Option<String>,
    session: Option<String>,
    pub(super) capabilities: BTreeMap<String, Count>,
    /// What was touched, by kind and name; receipts of earlier versions do not say.
    pub(super) touched: Option<BTreeMap<String, BTreeMap<String, u64>>>,
}

/// How often a capability was used.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(super) struct Count {
    pub(super) used: u64,
    pub(super) denied: u64,
}

/// A column that says something else than the receipt.
pub(crate) struct FieldDifference {
    pub(crate) field: &'static str,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl ReceiptLeaf {
    /// Reads [`LEAF_COLUMNS`] from column `at` on; `None` where there is no leaf, or it is not that of a run.
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
            // Whether the leaf itself was changed is for the verification of the journal to say.
            facts: serde_json::from_str(details).unwrap_or_default(),
        }))
    }

    /// Returns whether the run ended without anybody seeing it: such a leaf has no facts of a run.
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

    /// Lists the columns of a row that are not as this receipt says.
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
        // A run of an earlier version has no principal; its leaf then says that the owner ended it.
        if run.principal.is_some() || !self.is_interrupted() {
            compare("principal", self.actor.clone(), run.principal.clone());
        }
        // A tape that is not kept any more is named by the receipt alone.
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

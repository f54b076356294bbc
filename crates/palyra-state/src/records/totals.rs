//! Compares the totals of each skill with the sum of its receipts.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::RecordsReport;
use super::receipt::ReceiptLeaf;
use crate::db::unsigned;
use crate::runs::{MAX_TOUCHED, OTHERS};

/// Uses and denials of one capability, or uses of one touched resource.
#[derive(Debug, Default, PartialEq, Eq)]
struct Total {
    uses: u64,
    denials: u64,
    first_run: String,
    last_run: String,
}

/// The sums of the receipts of all skills.
pub(super) struct Totals {
    /// True if some receipts are in segment files: the sums are then a lower bound.
    incomplete: bool,
    /// By skill and capability.
    used: BTreeMap<(String, String), Total>,
    /// By skill, kind and name.
    touched: BTreeMap<(String, String, String), Total>,
    /// Number of distinct names that each skill touched, as the table counts them.
    names: BTreeMap<String, usize>,
    /// Skills with a receipt that combines several capabilities under one name.
    summed_up: BTreeSet<String>,
    /// Skills with a receipt of an earlier version, which does not list touched resources.
    silent: BTreeSet<String>,
}

impl Totals {
    pub(super) fn new(incomplete: bool) -> Self {
        Self {
            incomplete,
            used: BTreeMap::new(),
            touched: BTreeMap::new(),
            names: BTreeMap::new(),
            summed_up: BTreeSet::new(),
            silent: BTreeSet::new(),
        }
    }

    /// Adds a receipt; must be called in journal order, as the rows were written.
    pub(super) fn add(&mut self, leaf: &ReceiptLeaf) {
        let (Some(skill), Some(run)) = (&leaf.skill, &leaf.run) else { return };
        for (capability, count) in &leaf.facts.capabilities {
            if capability == OTHERS {
                self.summed_up.insert(skill.clone());
            } else if count.used.saturating_add(count.denied) > 0 {
                let total = self.used.entry((skill.clone(), capability.clone())).or_default();
                total.add(count.used, count.denied, run);
            }
        }
        let Some(touched) = &leaf.facts.touched else {
            if !leaf.is_interrupted() {
                self.silent.insert(skill.clone());
            }
            return;
        };
        let all =
            touched.iter().flat_map(|(kind, names)| names.iter().map(move |(name, uses)| (kind, name, uses)));
        for (kind, name, uses) in all {
            let key = |name: &str| (skill.clone(), kind.clone(), name.to_owned());
            let known = self.names.entry(skill.clone()).or_default();
            let name = if self.touched.contains_key(&key(name)) || *known < MAX_TOUCHED as usize {
                name.as_str()
            } else {
                OTHERS
            };
            let is_new = !self.touched.contains_key(&key(name));
            *known += usize::from(is_new);
            self.touched.entry(key(name)).or_default().add(*uses, 0, run);
        }
    }

    /// Compares the tables with the sums.
    pub(super) fn compare(self, connection: &Connection, report: &mut RecordsReport) -> rusqlite::Result<()> {
        let Self { incomplete, mut used, mut touched, summed_up, silent, .. } = self;
        let sql = "SELECT skill_id, capability, uses, denials, last_run FROM capability_use";
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let key: (String, String) = (row.get(0)?, row.get(1)?);
            let (uses, denials) = (unsigned(row.get(2)?), unsigned(row.get(3)?));
            let found = Total { uses, denials, first_run: String::new(), last_run: row.get(4)? };
            let is_exact = !incomplete && !summed_up.contains(&key.0);
            let expected = used.remove(&key).map(|total| Total { first_run: String::new(), ..total });
            check(report, "capability_use", &format!("{}/{}", key.0, key.1), expected, &found, is_exact);
        }
        for ((skill, capability), total) in used {
            report.add("capability_use", &format!("{skill}/{capability}"), total, "nothing");
        }
        let sql = "SELECT skill_id, kind, subject, uses, first_run, last_run FROM touched";
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let key: (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let uses = unsigned(row.get(3)?);
            let found = Total { uses, denials: 0, first_run: row.get(4)?, last_run: row.get(5)? };
            let is_exact = !incomplete && !silent.contains(&key.0);
            let expected = touched.remove(&key);
            check(report, "touched", &format!("{}/{}/{}", key.0, key.1, key.2), expected, &found, is_exact);
        }
        for ((skill, kind, name), total) in touched {
            // Without complete receipts it is unknown which names beyond the limit were counted together.
            if !incomplete && !silent.contains(&skill) {
                report.add("touched", &format!("{skill}/{kind}/{name}"), total, "nothing");
            }
        }
        Ok(())
    }
}

fn check(
    report: &mut RecordsReport,
    table: &str,
    key: &str,
    expected: Option<Total>,
    found: &Total,
    is_exact: bool,
) {
    report.totals += 1;
    let fits = match &expected {
        Some(expected) if is_exact => expected == found,
        Some(expected) => found.uses >= expected.uses && found.denials >= expected.denials,
        None => !is_exact,
    };
    if !fits {
        let expected = expected.map_or_else(|| "nothing".to_owned(), |total| total.to_string());
        report.add(table, key, expected, found);
    }
}

impl Total {
    fn add(&mut self, uses: u64, denials: u64, run: &str) {
        self.uses = self.uses.saturating_add(uses);
        self.denials = self.denials.saturating_add(denials);
        if self.first_run.is_empty() {
            self.first_run = run.to_owned();
        }
        self.last_run = run.to_owned();
    }
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { uses, denials, first_run, last_run } = self;
        write!(f, "{uses} uses and {denials} denials, last by `{last_run}`")?;
        if first_run.is_empty() { Ok(()) } else { write!(f, ", first by `{first_run}`") }
    }
}

//! What a skill did: the capabilities it used, and everything it ever touched.

use palyra_journal::JournalError;
use rusqlite::{Connection, Row};
use serde::Serialize;

use crate::error::StateError;
use crate::inventory::{CapabilityTotal, RunTotals, totals};
use crate::runs::RunStore;
use crate::runs::{OTHERS, RunQuery, RunRow};

/// Most runs a blast radius lists one by one; the rest is in `runs list`.
const MAX_LISTED_RUNS: usize = 1_000;

/// Everything a skill ever touched on this machine, also one that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlastRadius {
    /// The skill.
    pub skill_id: String,
    /// Contacted hosts.
    pub hosts: Vec<Touch>,
    /// Directories in which it opened files.
    pub file_roots: Vec<Touch>,
    /// Secrets it used, by name.
    pub secrets: Vec<Touch>,
    /// Key prefixes it stored data under.
    pub key_prefixes: Vec<Touch>,
    /// Channels it published to.
    pub channels: Vec<Touch>,
    /// Number of runs.
    pub totals: RunTotals,
    /// Its newest runs.
    pub runs: Vec<RunRow>,
    /// Where older runs begin in `runs`, if there are any.
    pub older_runs: Option<String>,
    /// Whether it used more names than are recorded individually.
    pub more: bool,
}

/// One used resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Touch {
    /// Its name.
    pub subject: String,
    /// How often.
    pub uses: u64,
    /// The first run that used it.
    pub first_run: String,
    /// The last run that used it.
    pub last_run: String,
}

impl RunStore<'_> {
    /// What runs of a skill used, by capability.
    pub fn capability_totals(&self, skill_id: &str) -> Result<Vec<CapabilityTotal>, StateError> {
        Ok(self.state.journal.read(|connection| totals(connection, skill_id))?.0)
    }

    /// Everything a skill ever touched; from rows that grew with its runs, not from the journal.
    pub fn blast_radius(&self, skill_id: &str) -> Result<BlastRadius, StateError> {
        let (touched, (_, totals)) = self.state.journal.read(|connection| {
            let touched =
                touched(connection, skill_id).map_err(JournalError::sqlite("read what was touched"))?;
            Ok::<_, JournalError>((touched, totals(connection, skill_id)?))
        })?;
        let query =
            RunQuery { skill_id: Some(skill_id.to_owned()), limit: MAX_LISTED_RUNS, ..RunQuery::default() };
        let page = self.list(&query)?;
        let more = touched.iter().any(|(_, touch)| touch.subject == OTHERS);
        let of = |wanted: &str| {
            touched.iter().filter(|(kind, _)| kind == wanted).map(|(_, touch)| touch.clone()).collect()
        };
        Ok(BlastRadius {
            skill_id: skill_id.to_owned(),
            hosts: of("host"),
            file_roots: of("file_root"),
            secrets: of("secret"),
            key_prefixes: of("key_prefix"),
            channels: of("channel"),
            totals,
            runs: page.runs,
            older_runs: page.next,
            more,
        })
    }
}

fn touched(connection: &Connection, skill_id: &str) -> rusqlite::Result<Vec<(String, Touch)>> {
    let sql = "SELECT kind, subject, uses, first_run, last_run FROM touched WHERE skill_id = ?1";
    let read = |row: &Row<'_>| {
        let uses: i64 = row.get(2)?;
        let uses = u64::try_from(uses).unwrap_or(0);
        Ok((row.get(0)?, Touch { subject: row.get(1)?, uses, first_run: row.get(3)?, last_run: row.get(4)? }))
    };
    connection.prepare(sql)?.query_map([skill_id], read)?.collect()
}

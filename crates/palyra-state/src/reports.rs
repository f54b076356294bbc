//! Reports about the past of a skill: the capabilities it used, and every resource it touched.

pub use palyra_common::model::plugins::{BlastRadius, Touch};

use palyra_journal::JournalError;
use rusqlite::{Connection, Row};

use crate::error::StateError;
use crate::inventory::{CapabilityTotal, totals};
use crate::runs::RunStore;
use crate::runs::{OTHERS, RunQuery};

/// Maximum number of runs in a blast radius; older ones are in `palyra runs list`.
const MAX_LISTED_RUNS: usize = 1_000;

impl RunStore<'_> {
    /// Returns the use of each capability over all runs of a skill.
    pub fn capability_totals(&self, skill_id: &str) -> Result<Vec<CapabilityTotal>, StateError> {
        Ok(self.state.journal.read(|connection| totals(connection, skill_id))?.0)
    }

    /// Returns every resource that a skill touched, from totals that runs maintain instead of a scan of the journal.
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

//! `palyra skills list`.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, skills, table};
use crate::state;
use clap::Args;
use palyra_skills::SkillInventoryEntry;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra skills list
  palyra skills list --output ndjson";

/// Show what is installed and whether it can run.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed {
    skills: Vec<SkillInventoryEntry>,
}

pub(super) fn run(_args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let state = state::open(globals, "skills list")?;
    Ok(Listed { skills: state.list() })
}

impl super::Judged for Listed {}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.skills.list/v1";

    fn data(&self) -> String {
        let row = |entry: &SkillInventoryEntry| {
            let current = &entry.record.current;
            let waiting = entry.record.waiting.as_ref();
            let waiting =
                waiting.map(|release| format!(", {} waits", release.manifest.version)).unwrap_or_default();
            [
                entry.record.skill_id.clone(),
                current.manifest.version.to_string(),
                format!("{}{waiting}", skills::status(entry.runtime_status)),
                skills::trust(current.trust).to_owned(),
                current.manifest.entrypoints.tools.len().to_string(),
            ]
        };
        let rows: Vec<_> = self.skills.iter().map(row).collect();
        table(["skill", "version", "status", "publisher is", "tools"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.skills.is_empty() {
            true => vec![
                Remark::Note("no skill is installed".into()),
                Remark::Next("palyra skills install FILE --allow-tofu".into()),
            ],
            false => Vec::new(),
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.skills.iter().map(|entry| json!(entry)).collect())
    }
}

//! `palyra skills list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, shapes, table};
use clap::Args;
use palyra_api::skills::{SkillCodeState, SkillEntry, SkillList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra skills list
  palyra skills list --output ndjson";

/// List installed skills and their status
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(SkillList);

pub(super) fn run(_args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "skills list", async |client| client.skills().await).map(Listed)
}

/// Returns a suffix if calls have to wait for compilation, or compilation failed.
fn code(entry: &SkillEntry) -> &'static str {
    match entry.code.as_ref().map(|code| code.state) {
        Some(SkillCodeState::Compiling) => ", compiling",
        Some(SkillCodeState::Failed) => ", compilation failed",
        Some(SkillCodeState::NotCompiled | SkillCodeState::Ready) | None => "",
    }
}

impl super::Judged for Listed {}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.skills.list/v1";

    fn data(&self) -> String {
        let row = |entry: &SkillEntry| {
            let current = &entry.record.current;
            let waiting = entry.record.waiting.as_ref();
            let waiting = waiting
                .map(|release| format!(", {} waits", release.manifest_text("version")))
                .unwrap_or_default();
            [
                entry.record.skill_id.clone(),
                current.manifest_text("version").to_owned(),
                format!("{}{}{waiting}", shapes::status(entry.runtime_status), code(entry)),
                shapes::trust(current.trust).to_owned(),
                current.tool_ids().len().to_string(),
            ]
        };
        let rows: Vec<_> = self.0.skills.iter().map(row).collect();
        table(["skill", "version", "status", "trust", "tools"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.skills.is_empty() {
            vec![
                Remark::Note("no skills are installed".into()),
                Remark::Next("palyra skills install FILE --allow-tofu".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.skills.iter().map(|entry| json!(entry)).collect())
    }
}

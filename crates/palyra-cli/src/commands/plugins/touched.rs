//! `palyra plugins touched`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, table, when};
use clap::Args;
use palyra_api::plugins::{BlastRadius, Touch};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra plugins touched acme.notes";

/// Show everything a skill has used, even after its removal
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TouchedArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Shown(BlastRadius);

pub(super) fn execute(args: &TouchedArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "plugins touched", async |client| client.touched(&args.skill).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.plugins.touched/v1";

    fn data(&self) -> String {
        let Self(radius) = self;
        let totals = &radius.totals;
        let head = facts(&[
            ("skill", radius.skill_id.clone()),
            ("runs", format!("{} completed, {} failed", totals.completed, totals.failed)),
            ("last started", totals.last_started_ms.map(when).unwrap_or_default()),
        ]);
        let kinds = [
            ("host", &radius.hosts),
            ("directory", &radius.file_roots),
            ("secret", &radius.secrets),
            ("keys under", &radius.key_prefixes),
            ("channel", &radius.channels),
        ];
        let rows: Vec<_> = kinds
            .into_iter()
            .flat_map(|(kind, touched)| touched.iter().map(move |one| row(kind, one)))
            .collect();
        let touched = table(["kind", "name", "times", "first run", "last run"], &rows);
        if touched.is_empty() { head } else { format!("{head}\n{touched}") }
    }

    fn talk(&self) -> Vec<Remark> {
        let id = &self.0.skill_id;
        let more = self
            .0
            .more
            .then(|| Remark::Warning("the names beyond the recorded ones are counted as `(others)`".into()));
        more.into_iter().chain([Remark::Next(format!("palyra runs list --skill {id}"))]).collect()
    }
}

fn row(kind: &str, touch: &Touch) -> [String; 5] {
    [
        kind.to_owned(),
        touch.subject.clone(),
        touch.uses.to_string(),
        touch.first_run.clone(),
        touch.last_run.clone(),
    ]
}

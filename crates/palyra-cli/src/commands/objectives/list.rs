//! `palyra objectives list`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use clap::Args;
use palyra_api::objectives::{Objective, ObjectiveList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra objectives list";

/// List objectives with their status and use
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(ObjectiveList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "objectives list", async |client| client.objectives().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.objectives.list/v1";

    fn data(&self) -> String {
        let row = |objective: &Objective| {
            [
                objective.name.clone(),
                objective.state.wire_name().to_owned(),
                view::used(objective.used_runs, objective.max_runs),
                view::used(objective.used_fuel, objective.max_fuel),
                objective.routines.join(", "),
            ]
        };
        let rows: Vec<_> = self.0.objectives.iter().map(row).collect();
        table(["objective", "state", "runs", "fuel", "routines"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.objectives.is_empty() {
            vec![
                Remark::Note("no objectives".into()),
                Remark::Next("palyra objectives add NAME --goal TEXT --runs 100".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.objectives.iter().map(|objective| json!(objective)).collect())
    }
}

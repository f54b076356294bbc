//! `palyra routines list`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::routines::{Routine, RoutineList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra routines list";

/// List routines with their next and last run
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(RoutineList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "routines list", async |client| client.routines().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.routines.list/v1";

    fn data(&self) -> String {
        let row = |routine: &Routine| {
            let next = match (routine.enabled, routine.next_ms.first()) {
                (false, _) => "disabled".to_owned(),
                (true, Some(at)) => when(*at),
                (true, None) => "never".to_owned(),
            };
            let last = routine.last.as_ref().map(view::ended).unwrap_or_default();
            [routine.name.clone(), view::schedule(routine), next, last, view::does(routine)]
        };
        let rows: Vec<_> = self.0.routines.iter().map(row).collect();
        table(["routine", "schedule", "next", "last", "tool"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.routines.iter().any(|routine| !routine.built_in) {
            Vec::new()
        } else {
            vec![
                Remark::Note("no routines except the built-in one".into()),
                Remark::Next("palyra routines add NAME TOOL --every 1h".into()),
            ]
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.routines.iter().map(|routine| json!(routine)).collect())
    }
}

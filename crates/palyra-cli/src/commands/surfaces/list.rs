//! `palyra surfaces list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::surfaces::{CallSurface, CallSurfaceList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra surfaces list --limit 5";

/// List documents of calls, newest first
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Show only documents older than this one
    #[arg(long, value_name = "ID")]
    before: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Listed(CallSurfaceList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let listed = client::ask(globals, "surfaces list", async |client| {
        client.call_surfaces(args.before.as_deref(), Some(args.limit)).await
    });
    listed.map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.surfaces.list/v1";

    fn data(&self) -> String {
        let row = |one: &CallSurface| {
            let submitted = one.submitted.as_ref().map(|form| when(form.at_ms)).unwrap_or_default();
            [
                one.surface_id.clone(),
                one.surface.clone(),
                one.tool_id.clone(),
                when(one.created_ms),
                submitted,
            ]
        };
        let rows: Vec<_> = self.0.surfaces.iter().map(row).collect();
        table(["surface", "name", "tool", "created", "submitted"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let none = self.0.surfaces.is_empty().then(|| Remark::Note("no call returned a document".into()));
        let more =
            self.0.next.as_ref().map(|id| Remark::Next(format!("there are more: add `--before {id}`")));
        none.into_iter().chain(more).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.surfaces.iter().map(|surface| json!(surface)).collect())
    }
}

//! `palyra runs list`.

use super::show;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::commands::journal::time::{self, Instant};
use crate::error::CliError;
use crate::output::{Remark, Reply, milliseconds_text, table, when};
use clap::Args;
use palyra_api::ClientError;
use palyra_api::runs::{Run, RunFilter, RunList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra runs list
  palyra runs list --skill acme.notes --status failed --since 7d";

/// List runs, newest first
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// Only runs of this skill
    #[arg(long, value_name = "ID")]
    skill: Option<String>,

    /// Only runs of this tool
    #[arg(long, value_name = "ID")]
    tool: Option<String>,

    /// Only runs with this status
    #[arg(long, value_name = "STATUS", value_parser = ["started", "completed", "failed", "cancelled", "interrupted"])]
    status: Option<String>,

    /// Start time: `2026-01-31T12:00:00Z`, `2026-01-31`, or an age such as `2h`
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    since: Option<Instant>,

    /// End time, exclusive
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    until: Option<Instant>,

    /// Leave out the runs of hooks
    #[arg(long)]
    no_hooks: bool,

    /// Only runs older than this id, to continue an earlier list
    #[arg(long, value_name = "ID")]
    before: Option<String>,

    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

#[derive(Serialize)]
pub(super) struct Listed(RunList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let filter = RunFilter {
        skill_id: args.skill.clone(),
        tool_id: args.tool.clone(),
        status: args.status.clone(),
        since_ms: args.since.map(|time| time.0),
        until_ms: args.until.map(|time| time.0),
        before: args.before.clone(),
        limit: Some(args.limit),
    };
    let list = async |client: AnyClient| {
        if args.no_hooks {
            without_hooks(&client, filter, usize::from(args.limit)).await
        } else {
            client.runs(&filter).await
        }
    };
    client::ask(globals, "runs list", list).map(Listed)
}

/// Reads pages until there are `limit` runs that are not of hooks.
async fn without_hooks(
    client: &AnyClient,
    mut filter: RunFilter,
    limit: usize,
) -> Result<RunList, ClientError> {
    let mut runs: Vec<Run> = Vec::new();
    loop {
        let page = client.runs(&filter).await?;
        let own = |run: &Run| !run.principal.as_deref().is_some_and(|name| name.starts_with("hook:"));
        runs.extend(page.runs.into_iter().filter(own));
        if runs.len() >= limit {
            let more = runs.len() > limit || page.next.is_some();
            runs.truncate(limit);
            let next = runs.last().filter(|_| more).map(|run| run.run_id.clone());
            return Ok(RunList { runs, next });
        }
        if page.next.is_none() {
            return Ok(RunList { runs, next: None });
        }
        filter.before = page.next;
    }
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.runs.list/v1";

    fn data(&self) -> String {
        let row = |run: &Run| {
            let took = run.finished_ms.map(|end| end.saturating_sub(run.started_ms));
            [
                run.run_id.clone(),
                run.error.clone().unwrap_or_else(|| run.status.clone()),
                run.tool_id.clone(),
                run.principal.clone().unwrap_or_default(),
                when(run.started_ms),
                took.map(milliseconds_text).unwrap_or_default(),
            ]
        };
        let rows: Vec<_> = self.0.runs.iter().map(row).collect();
        table(["run", "status", "tool", "principal", "started", "took"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let none = self.0.runs.is_empty().then(|| Remark::Note("no runs match".into()));
        let more = self.0.next.as_ref().map(|id| Remark::Next(format!("more results: add `--before {id}`")));
        let altered = self.0.runs.iter().filter_map(show::altered);
        none.into_iter().chain(altered).chain(more).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.runs.iter().map(|run| json!(run)).collect())
    }
}

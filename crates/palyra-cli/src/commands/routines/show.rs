//! `palyra routines show`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, table, when};
use clap::Args;
use palyra_api::routines::{Fire, Routine};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra routines show morning --limit 20";

/// Show a routine with its schedule and history
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Name of the routine
    name: String,

    /// Maximum number of runs to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,

    /// Only runs due before this time, to continue an earlier list
    #[arg(long, value_name = "MS")]
    before: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    routine: Routine,
    fires: Vec<Fire>,
    next_page: Option<u64>,
}

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "routines show", async |client| {
        let routine = client.routine(&args.name).await?;
        let page = client.fires(&args.name, args.before, Some(args.limit)).await?;
        Ok::<_, palyra_api::ClientError>(Shown { routine, fires: page.fires, next_page: page.next })
    })
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.routines.show/v1";

    fn data(&self) -> String {
        let row = |fire: &Fire| {
            let run = fire.run_id.clone().or_else(|| fire.message.clone()).unwrap_or_default();
            [when(fire.due_ms), fire.cause.clone(), view::ended(fire), view::late(fire), run]
        };
        let rows: Vec<_> = self.fires.iter().map(row).collect();
        let fires = table(["due", "cause", "status", "late", "run"], &rows);
        let fires = if fires.is_empty() { fires } else { format!("\nFires\n{fires}") };
        facts(&view::facts_of(&self.routine)) + &view::next(&self.routine) + &fires
    }

    fn talk(&self) -> Vec<Remark> {
        let never = self.fires.is_empty().then(|| Remark::Note("it has never run".into()));
        let more = self.next_page.map(|at| Remark::Next(format!("more results: add `--before {at}`")));
        never.into_iter().chain(more).collect()
    }
}

//! `palyra objectives add`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::objectives::{Objective, ObjectiveRequest};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra objectives add inbox --goal 'keep the inbox sorted' --runs 500 --fuel 5000000000";

/// Create an objective
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct AddArgs {
    /// Name of the objective
    name: String,

    /// Description of the goal
    #[arg(long, value_name = "TEXT", required = true)]
    goal: String,

    /// Maximum number of runs [default: unlimited]
    #[arg(long, value_name = "N")]
    runs: Option<u64>,

    /// Maximum fuel in total [default: unlimited]
    #[arg(long, value_name = "N")]
    fuel: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Added(Objective);

pub(super) fn execute(args: &AddArgs, globals: &Globals) -> Result<Added, CliError> {
    let request = ObjectiveRequest {
        name: args.name.clone(),
        goal: args.goal.clone(),
        max_runs: args.runs,
        max_fuel: args.fuel,
    };
    client::ask(globals, "objectives add", async |client| client.add_objective(&request).await).map(Added)
}

impl Reply for Added {
    const SCHEMA: &'static str = "palyra.objectives.add/v1";

    fn data(&self) -> String {
        view::shown(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("palyra routines add NAME TOOL --every 1h --objective {}", self.0.name))]
    }
}

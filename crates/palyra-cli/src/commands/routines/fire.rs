//! `palyra routines fire`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, moment};
use clap::Args;
use palyra_api::routines::Fire;
use palyra_api::{ClientError, Problem};
use palyra_common::ErrorCode;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra routines fire morning";

/// Run a routine now and wait for the result
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct FireArgs {
    /// Name of the routine
    name: String,
}

#[derive(Serialize)]
pub(super) struct Fired(Fire);

pub(super) fn execute(args: &FireArgs, globals: &Globals) -> Result<Fired, CliError> {
    let fire = client::ask(globals, "routines fire", async |client| client.fire_routine(&args.name).await)?;
    match fire.status.as_str() {
        "completed" => Ok(Fired(fire)),
        _ => Err(ClientError::Problem(Box::new(problem(&fire))).into()),
    }
}

/// Returns the problem of a fire without a result, with the code of its failure.
fn problem(fire: &Fire) -> Problem {
    let hint = format!("see `palyra routines show {}`", fire.routine);
    match &fire.reason {
        Some(reason) => {
            Problem::new(ErrorCode::NotFired, format!("`{}` did not run: {reason}", fire.routine)).hint(hint)
        }
        None => {
            let message = fire.message.clone().unwrap_or_else(|| view::ended(fire));
            let Ok(code) = fire.error.as_deref().map_or(Ok(ErrorCode::Internal), str::parse);
            Problem { run_id: fire.run_id.clone(), ..Problem::new(code, message).hint(hint) }
        }
    }
}

impl Reply for Fired {
    const SCHEMA: &'static str = "palyra.routines.fire/v1";

    fn data(&self) -> String {
        let fire = &self.0;
        facts(&[
            ("routine", fire.routine.clone()),
            ("status", fire.status.clone()),
            ("fired", moment(fire.fired_ms)),
            ("run", fire.run_id.clone().unwrap_or_default()),
            ("found", fire.message.clone().unwrap_or_default()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let run = self.0.run_id.as_ref();
        run.map(|run| Remark::Next(format!("palyra runs show {run}"))).into_iter().collect()
    }
}

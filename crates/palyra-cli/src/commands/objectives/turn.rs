//! `palyra objectives pause`, `resume` and `done`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::objectives::{Objective, ObjectiveState};
use serde::Serialize;

const PAUSE: &str = "\
Example:
  palyra objectives pause inbox";

const RESUME: &str = "\
Example:
  palyra objectives resume inbox";

const DONE: &str = "\
Example:
  palyra objectives done inbox";

/// Pause the routines of an objective
#[derive(Args)]
#[command(before_help = PAUSE)]
pub(super) struct PauseArgs {
    /// Name of the objective
    name: String,
}

/// Resume the routines of an objective
#[derive(Args)]
#[command(before_help = RESUME)]
pub(super) struct ResumeArgs {
    /// Name of the objective
    name: String,
}

/// Mark an objective as done and stop its routines
#[derive(Args)]
#[command(before_help = DONE)]
pub(super) struct DoneArgs {
    /// Name of the objective
    name: String,
}

#[derive(Serialize)]
pub(super) struct Paused(Objective);

#[derive(Serialize)]
pub(super) struct Resumed(Objective);

#[derive(Serialize)]
pub(super) struct Done(Objective);

pub(super) fn pause(args: &PauseArgs, globals: &Globals) -> Result<Paused, CliError> {
    client::ask(globals, "objectives pause", async |client| client.pause_objective(&args.name).await)
        .map(Paused)
}

pub(super) fn resume(args: &ResumeArgs, globals: &Globals) -> Result<Resumed, CliError> {
    client::ask(globals, "objectives resume", async |client| client.resume_objective(&args.name).await)
        .map(Resumed)
}

pub(super) fn done(args: &DoneArgs, globals: &Globals) -> Result<Done, CliError> {
    client::ask(globals, "objectives done", async |client| client.finish_objective(&args.name).await)
        .map(Done)
}

impl Reply for Paused {
    const SCHEMA: &'static str = "palyra.objectives.pause/v1";

    fn data(&self) -> String {
        view::shown(&self.0)
    }
}

impl Reply for Resumed {
    const SCHEMA: &'static str = "palyra.objectives.resume/v1";

    fn data(&self) -> String {
        view::shown(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.state {
            ObjectiveState::Exhausted => {
                vec![Remark::Warning("its budget is used up, so its routines do not run".into())]
            }
            _ => Vec::new(),
        }
    }
}

impl Reply for Done {
    const SCHEMA: &'static str = "palyra.objectives.done/v1";

    fn data(&self) -> String {
        view::shown(&self.0)
    }
}

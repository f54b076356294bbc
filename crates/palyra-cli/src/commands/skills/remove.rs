//! `palyra skills remove`.

use super::installed_id;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::state;
use crate::terminal::confirm;
use clap::Args;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills remove acme.notes";

const MORE: &str = "\
Who owns the id and how far its releases had come stays known, so that nothing older can come back.";

/// Take a skill out, with its consents.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RemoveArgs {
    /// The skill
    id: String,
}

#[derive(Serialize)]
pub(super) struct Removed {
    skill_id: String,
    version: String,
    publisher: String,
}

pub(super) fn run(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let state = state::open(globals, "skills remove")?;
    let record = installed_id(&state, &args.id)?;
    let version = record.current.manifest.version.to_string();
    confirm(globals, &format!("Remove `{}` {version}?", args.id))?;
    state.remove(&args.id)?;
    state::finish(state)?;
    Ok(Removed { skill_id: args.id.clone(), version, publisher: record.publisher })
}

impl super::Judged for Removed {}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.skills.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", format!("{} {}", self.skill_id, self.version))])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!(
            "the id stays with publisher `{}`, and nothing older can come back",
            self.publisher
        ))]
    }
}

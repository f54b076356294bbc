//! `palyra skills quarantine`.

use super::changed::Changed;
use super::installed_id;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_common::env_vars::PALYRA_SKILLS_QUARANTINE_REASON;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills quarantine acme.notes --reason 'asked for a host it never named'";

/// Keep a skill from running until somebody enables it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct QuarantineArgs {
    /// The skill
    id: String,

    /// Why, for the journal and for those who look at it later
    #[arg(long, value_name = "TEXT")]
    #[arg(env = PALYRA_SKILLS_QUARANTINE_REASON, hide_env_values = true)]
    reason: String,
}

#[derive(Serialize)]
pub(super) struct Quarantined(Changed);

pub(super) fn run(args: &QuarantineArgs, globals: &Globals) -> Result<Quarantined, CliError> {
    let state = state::open(globals, "skills quarantine")?;
    installed_id(&state, &args.id)?;
    state.quarantine(&args.id, &args.reason)?;
    let changed = Changed::now(&state, &args.id, Some(&args.reason));
    state::finish(state)?;
    Ok(Quarantined(changed))
}

impl super::Judged for Quarantined {}

impl Reply for Quarantined {
    const SCHEMA: &'static str = "palyra.skills.quarantine/v1";

    fn data(&self) -> String {
        self.0.data()
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("let it run again with `palyra skills enable {}`", self.0.skill_id))]
    }
}

//! `palyra skills disable`.

use super::changed::Changed;
use super::installed_id;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_common::env_vars::PALYRA_SKILLS_DISABLE_REASON;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills disable acme.notes";

/// Switch a skill off.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DisableArgs {
    /// The skill
    id: String,

    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    #[arg(env = PALYRA_SKILLS_DISABLE_REASON, hide_env_values = true)]
    reason: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Disabled(Changed);

pub(super) fn run(args: &DisableArgs, globals: &Globals) -> Result<Disabled, CliError> {
    let state = state::open(globals, "skills disable")?;
    installed_id(&state, &args.id)?;
    state.disable(&args.id, args.reason.as_deref().unwrap_or_default())?;
    let changed = Changed::now(&state, &args.id, args.reason.as_deref());
    state::finish(state)?;
    Ok(Disabled(changed))
}

impl super::Judged for Disabled {}

impl Reply for Disabled {
    const SCHEMA: &'static str = "palyra.skills.disable/v1";

    fn data(&self) -> String {
        self.0.data()
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("switch it on again with `palyra skills enable {}`", self.0.skill_id))]
    }
}

//! `palyra skills disable`.

use super::changed;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::skills::{DisableBody, SkillChanged};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills disable acme.notes";

/// Disable a skill
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DisableArgs {
    /// Skill id
    id: String,

    /// Reason, recorded in the journal
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Disabled(SkillChanged);

pub(super) fn run(args: &DisableArgs, globals: &Globals) -> Result<Disabled, CliError> {
    let body = DisableBody { reason: args.reason.clone() };
    let asked =
        client::ask(globals, "skills disable", async |client| client.disable_skill(&args.id, &body).await);
    asked.map(Disabled)
}

impl super::Judged for Disabled {}

impl Reply for Disabled {
    const SCHEMA: &'static str = "palyra.skills.disable/v1";

    fn data(&self) -> String {
        changed::data(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("enable it again with `palyra skills enable {}`", self.0.skill_id))]
    }
}

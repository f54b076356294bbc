//! `palyra skills quarantine`.

use super::changed;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::skills::{QuarantineBody, SkillChanged};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills quarantine acme.notes --reason 'asked for a host it never named'";

/// Quarantine a skill until it is enabled again
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct QuarantineArgs {
    /// Skill id
    id: String,

    /// Reason, recorded in the journal
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

#[derive(Serialize)]
pub(super) struct Quarantined(SkillChanged);

pub(super) fn run(args: &QuarantineArgs, globals: &Globals) -> Result<Quarantined, CliError> {
    let body = QuarantineBody { reason: args.reason.clone() };
    let asked = client::ask(globals, "skills quarantine", async |client| {
        client.quarantine_skill(&args.id, &body).await
    });
    asked.map(Quarantined)
}

impl super::Judged for Quarantined {}

impl Reply for Quarantined {
    const SCHEMA: &'static str = "palyra.skills.quarantine/v1";

    fn data(&self) -> String {
        changed::data(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("let it run again with `palyra skills enable {}`", self.0.skill_id))]
    }
}

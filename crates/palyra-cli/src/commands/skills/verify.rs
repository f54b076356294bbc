//! `palyra skills verify`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, shapes};
use clap::Args;
use palyra_api::skills::SkillVerified;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills verify acme.notes";

const MORE: &str = "\
A skill whose stored bytes differ from what was installed is quarantined at once.";

/// Verify the stored bytes of a skill again
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct VerifyArgs {
    /// Skill id
    id: String,
}

#[derive(Serialize)]
pub(super) struct Verified(SkillVerified);

pub(super) fn run(args: &VerifyArgs, globals: &Globals) -> Result<Verified, CliError> {
    client::ask(globals, "skills verify", async |client| client.verify_skill(&args.id).await).map(Verified)
}

impl super::Judged for Verified {}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.skills.verify/v1";

    fn data(&self) -> String {
        let verified = &self.0;
        let steps: String = verified.steps.iter().map(shapes::verify_step).collect();
        let summary = facts(&[
            ("skill", format!("{} {}", verified.skill_id, verified.version)),
            ("signed by", verified.signers.join(", ")),
            ("payload", verified.payload.clone()),
            ("sha256", verified.sha256.clone()),
        ]);
        format!("{steps}\n{summary}")
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note("the stored bytes match what was installed".into())]
    }
}

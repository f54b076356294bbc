//! `palyra skills verify`.

use super::installed_id;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, skills};
use crate::state;
use clap::Args;
use palyra_skills::Sha256Digest;
use palyra_skills::verify::VerifyStep;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills verify acme.notes";

const MORE: &str = "\
Stored bytes that are not what was installed put the skill into quarantine at once.";

/// Read, hash and verify the stored bytes of a skill again.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct VerifyArgs {
    /// The skill
    id: String,
}

#[derive(Serialize)]
pub(super) struct Verified {
    skill_id: String,
    version: String,
    payload: Sha256Digest,
    sha256: Sha256Digest,
    signers: Vec<String>,
    steps: Vec<VerifyStep>,
}

pub(super) fn run(args: &VerifyArgs, globals: &Globals) -> Result<Verified, CliError> {
    let state = state::open(globals, "skills verify")?;
    installed_id(&state, &args.id)?;
    let verification = state.verify_installed(&args.id)?;
    let skill = &verification.skill;
    Ok(Verified {
        skill_id: args.id.clone(),
        version: skill.manifest().version.to_string(),
        payload: skill.payload(),
        sha256: skill.artifact().archive_digest(),
        signers: skill.signers().iter().map(|key| key.key_id().to_string()).collect(),
        steps: verification.steps,
    })
}

impl super::Judged for Verified {}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.skills.verify/v1";

    fn data(&self) -> String {
        let steps: String = self.steps.iter().map(skills::verify_step).collect();
        let told = facts(&[
            ("skill", format!("{} {}", self.skill_id, self.version)),
            ("signed by", self.signers.join(", ")),
            ("payload", self.payload.to_string()),
            ("sha256", self.sha256.to_string()),
        ]);
        format!("{steps}\n{told}")
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note("the stored bytes are the ones that were installed".into())]
    }
}

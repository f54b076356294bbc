//! `palyra skills package verify`.

use crate::cli::Globals;
use crate::commands::skills::Judged;
use crate::commands::skills::package_file::{Background, read};
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, skills};
use clap::Args;
use palyra_skills::verify::VerifyStep;
use palyra_skills::{Sha256Digest, TrustDecision};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills package verify notes.palyra-skill
  palyra skills package verify notes.palyra-skill --allow-tofu";

const MORE: &str = "\
Exit code 5 when the file is refused, or when its publisher is unknown here and `--allow-tofu` was not given.
Nothing is stored or pinned.";

/// Check every byte and signature of a package, and whether its publisher is believed.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct VerifyArgs {
    /// The package
    file: PathBuf,

    /// Accept a publisher that was never seen here
    #[arg(long)]
    allow_tofu: bool,
}

#[derive(Serialize)]
pub(super) struct Verified {
    file: String,
    skill_id: String,
    version: String,
    publisher: String,
    payload: Sha256Digest,
    sha256: Sha256Digest,
    signers: Vec<String>,
    trust: TrustDecision,
    /// Whether there was a state root to ask about the publisher.
    state_root: bool,
    steps: Vec<VerifyStep>,
}

pub(super) fn run(args: &VerifyArgs, globals: &Globals) -> Result<Verified, CliError> {
    let bytes = read(&args.file)?;
    let background = Background::read(globals, "skills package verify")?;
    let verification = background.verify(bytes, args.allow_tofu)?;
    let (skill, manifest) = (&verification.skill, verification.skill.manifest());
    Ok(Verified {
        file: args.file.display().to_string(),
        skill_id: manifest.skill_id.clone(),
        version: manifest.version.to_string(),
        publisher: manifest.publisher.clone(),
        payload: skill.payload(),
        sha256: skill.artifact().archive_digest(),
        signers: skill.signers().iter().map(|key| key.key_id().to_string()).collect(),
        trust: verification.trust,
        state_root: background.known,
        steps: verification.steps,
    })
}

impl Judged for Verified {
    fn exit_code(&self) -> u8 {
        if matches!(self.trust, TrustDecision::Unknown { .. }) { skills::UNTRUSTED } else { 0 }
    }
}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.skills.package.verify/v1";

    fn data(&self) -> String {
        let steps: String = self.steps.iter().map(skills::verify_step).collect();
        let told = facts(&[
            ("skill", format!("{} {}", self.skill_id, self.version)),
            ("publisher", self.publisher.clone()),
            ("signed by", self.signers.join(", ")),
            ("payload", self.payload.to_string()),
            ("sha256", self.sha256.to_string()),
        ]);
        format!("{steps}\n{told}")
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = Vec::new();
        if !self.state_root {
            talk.push(Remark::Note("there is no state root here, so no publisher is known".into()));
        }
        if let TrustDecision::Unknown { .. } = self.trust {
            let publisher = &self.publisher;
            talk.push(Remark::Warning(format!(
                "the file is sound, and publisher `{publisher}` is unknown here"
            )));
            talk.push(Remark::Next(format!(
                "compare the fingerprint with the publisher, then `palyra trust allow {publisher} KEY`, or install with `--allow-tofu`"
            )));
        }
        talk
    }
}

//! `palyra skills package verify`.

use crate::cli::Globals;
use crate::client;
use crate::commands::skills::Judged;
use crate::commands::skills::package_file::{Package, read};
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, shapes, skills};
use clap::Args;
use palyra_api::packages::{PackageQuery, PackageVerified};
use palyra_api::skills::TrustDecision;
use palyra_daemon::packages::Background;
use palyra_state::StateError;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills package verify notes.palyra-skill
  palyra skills package verify notes.palyra-skill --allow-tofu";

const MORE: &str = "\
Exit code 5: the file is invalid, or its publisher is unknown and `--allow-tofu` was not given. Nothing is
stored or pinned.";

/// Verify a package and the trust of its publisher
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct VerifyArgs {
    /// Package file
    file: PathBuf,

    /// Accept an unknown publisher
    #[arg(long)]
    allow_tofu: bool,
}

#[derive(Serialize)]
pub(super) struct Verified {
    file: String,
    /// True if a state root was available to check the publisher.
    state_root: bool,
    #[serde(flatten)]
    package: PackageVerified,
}

pub(super) fn run(args: &VerifyArgs, globals: &Globals) -> Result<Verified, CliError> {
    let package = Package::open(&args.file)?;
    let query = PackageQuery { allow_tofu: args.allow_tofu };
    let asked = client::ask(globals, "skills package verify", async |client| {
        client.verify_package(package.body(), query).await
    });
    let (state_root, package) = match asked {
        // Without a state root no publisher is trusted.
        Err(CliError::State(StateError::NotInitialised { .. })) => {
            (false, Background::nothing().verify(read(&args.file)?, args.allow_tofu)?)
        }
        asked => (true, asked?),
    };
    Ok(Verified { file: args.file.display().to_string(), state_root, package })
}

impl Judged for Verified {
    fn exit_code(&self) -> u8 {
        if matches!(self.package.trust, TrustDecision::Unknown { .. }) { skills::UNTRUSTED } else { 0 }
    }
}

impl Reply for Verified {
    const SCHEMA: &'static str = "palyra.skills.package.verify/v1";

    fn data(&self) -> String {
        let package = &self.package;
        let steps: String = package.steps.iter().map(shapes::verify_step).collect();
        let summary = facts(&[
            ("skill", format!("{} {}", package.skill_id, package.version)),
            ("publisher", package.publisher.clone()),
            ("signed by", package.signers.join(", ")),
            ("payload", package.payload.clone()),
            ("sha256", package.sha256.clone()),
        ]);
        format!("{steps}\n{summary}")
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = Vec::new();
        if !self.state_root {
            talk.push(Remark::Note("no state root, so no publisher is known".into()));
        }
        if let TrustDecision::Unknown { .. } = self.package.trust {
            let publisher = &self.package.publisher;
            talk.push(Remark::Warning(format!("the file is valid, but publisher `{publisher}` is unknown")));
            talk.push(Remark::Next(format!(
                "compare the fingerprint with the publisher, then `palyra trust allow {publisher} KEY`, or install with `--allow-tofu`"
            )));
        }
        talk
    }
}

//! `palyra skills package diff`.

use crate::commands::skills::Judged;
use crate::commands::skills::package_file::{read, verify_bytes};
use crate::error::CliError;
use crate::output::{Remark, Reply, skills};
use clap::Args;
use palyra_skills::{Sha256Digest, UpdateDiff};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra skills package diff notes-1.0.palyra-skill notes-1.1.palyra-skill";

const MORE: &str = "\
Marks: + more permissions, ~ different text for models, - fewer permissions. Rows with + or ~ need consent.";

/// Compare two releases side by side
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct DiffArgs {
    /// Old package
    old: PathBuf,
    /// New package
    new: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Compared {
    old: Release,
    new: Release,
    needs_consent: bool,
    #[serde(flatten)]
    diff: UpdateDiff,
}

#[derive(Serialize)]
struct Release {
    file: String,
    skill_id: String,
    version: String,
    payload: Sha256Digest,
}

pub(super) fn run(args: &DiffArgs) -> Result<Compared, CliError> {
    let old = verify_bytes(read(&args.old)?)?.skill;
    let new = verify_bytes(read(&args.new)?)?.skill;
    let diff = UpdateDiff::between(old.manifest(), new.manifest());
    Ok(Compared {
        old: release(&args.old, &old),
        new: release(&args.new, &new),
        needs_consent: diff.needs_consent(),
        diff,
    })
}

fn release(path: &Path, skill: &palyra_skills::VerifiedSkill) -> Release {
    let manifest = skill.manifest();
    Release {
        file: path.display().to_string(),
        skill_id: manifest.skill_id.clone(),
        version: manifest.version.to_string(),
        payload: skill.payload(),
    }
}

impl Judged for Compared {}

impl Reply for Compared {
    const SCHEMA: &'static str = "palyra.skills.package.diff/v1";

    fn data(&self) -> String {
        let title = |release: &Release| format!("{} {}", release.skill_id, release.version);
        skills::two_columns(&self.diff.rows, &title(&self.old), &title(&self.new))
    }

    fn talk(&self) -> Vec<Remark> {
        let consent = self.diff.consent_rows().count();
        vec![match (self.diff.is_empty(), consent) {
            (true, _) if self.old.payload == self.new.payload => {
                Remark::Note("the two are the same release".into())
            }
            (true, _) => Remark::Note("the manifests are the same; the modules differ".into()),
            (_, 0) => Remark::Note("an update needs no new consent".into()),
            (_, 1) => Remark::Note("an update needs consent, for one change".into()),
            (_, count) => Remark::Note(format!("an update needs consent, for {count} changes")),
        }]
    }
}

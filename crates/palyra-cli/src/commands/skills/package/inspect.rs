//! `palyra skills package inspect`.

use crate::commands::skills::Judged;
use crate::commands::skills::package_file::{read, verify_bytes};
use crate::error::CliError;
use crate::output::{Remark, Reply, byte_count, facts, skills, table};
use clap::Args;
use palyra_skills::artifact::EntryDigest;
use palyra_skills::artifact::sidecars::SbomSummary;
use palyra_skills::grants::{Permission, describe_permissions};
use palyra_skills::{Sha256Digest, SkillManifest, capability_digest};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills package inspect notes.palyra-skill
  palyra skills package inspect notes.palyra-skill --json";

/// Show the files, tools, permissions and signers of a package
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct InspectArgs {
    /// Package file
    file: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Inspected {
    file: String,
    bytes: u64,
    sha256: Sha256Digest,
    payload: Sha256Digest,
    manifest: SkillManifest,
    signers: Vec<String>,
    publisher_epoch: u64,
    capability_digest: Sha256Digest,
    permissions: Vec<Permission>,
    provenance: String,
    sbom: SbomSummary,
    entries: Vec<ShownEntry>,
}

#[derive(Serialize)]
struct ShownEntry {
    path: String,
    bytes: u64,
    sha256: Sha256Digest,
}

pub(super) fn run(args: &InspectArgs) -> Result<Inspected, CliError> {
    let bytes = read(&args.file)?;
    let length = bytes.len() as u64;
    let verification = verify_bytes(bytes)?;
    let (skill, manifest) = (&verification.skill, verification.skill.manifest());
    Ok(Inspected {
        file: args.file.display().to_string(),
        bytes: length,
        sha256: skill.artifact().archive_digest(),
        payload: skill.payload(),
        signers: skill.signers().iter().map(|key| key.key_id().to_string()).collect(),
        publisher_epoch: skill.release().publisher_epoch,
        capability_digest: capability_digest(manifest),
        permissions: describe_permissions(manifest),
        provenance: skill.provenance().to_string(),
        sbom: skill.sbom().clone(),
        entries: skill.artifact().entry_digests().iter().map(shown).collect(),
        manifest: manifest.clone(),
    })
}

fn shown(entry: &EntryDigest) -> ShownEntry {
    ShownEntry { path: entry.path.clone(), bytes: entry.size, sha256: entry.sha256 }
}

impl Judged for Inspected {}

impl Reply for Inspected {
    const SCHEMA: &'static str = "palyra.skills.package.inspect/v1";

    fn data(&self) -> String {
        let manifest = &self.manifest;
        let summary = facts(&[
            ("skill", format!("{} {}", manifest.skill_id, manifest.version)),
            ("name", manifest.name.clone()),
            ("summary", manifest.summary.clone().unwrap_or_default()),
            ("license", manifest.license.clone().unwrap_or_default()),
            ("publisher", format!("{}, epoch {}", manifest.publisher, self.publisher_epoch)),
            ("signed by", self.signers.join(", ")),
            ("release", format!("counter {}", manifest.release_counter)),
            ("size", byte_count(self.bytes)),
            ("sha256", self.sha256.to_string()),
            ("payload", self.payload.to_string()),
            ("provenance", self.provenance.clone()),
            (
                "contains",
                format!(
                    "{} modules, {} known dependencies",
                    self.sbom.modules.len(),
                    self.sbom.dependencies.len()
                ),
            ),
        ]);
        let entries: Vec<_> = self
            .entries
            .iter()
            .map(|entry| [entry.path.clone(), byte_count(entry.bytes), entry.sha256.to_string()])
            .collect();
        format!(
            "{summary}\nTools\n{}\nPermissions\n{}\nFiles\n{}",
            skills::tools(manifest),
            skills::permissions(&self.permissions),
            skills::indented(&table(["path", "size", "sha256"], &entries)),
        )
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(
            "the signature covers every byte; the trust of the publisher was not checked".into(),
        )]
    }
}

//! `palyra skills package build`.

use super::directory::SkillDirectory;
use super::signing_key::SigningKeyArgs;
use crate::cli::Globals;
use crate::commands::skills::Judged;
use crate::error::CliError;
use crate::output::{Remark, Reply, byte_count, facts, skills};
use clap::Args;
use palyra_common::env_vars::PALYRA_SKILLS_PACKAGE_BUILD_OUT;
use palyra_skills::audit::{AuditPolicy, AuditReport, InstalledTools, Verdict, audit_entries};
use palyra_skills::signing::SkillSigningKey;
use palyra_skills::{BuildRequest, BuiltArtifact, Sha256Digest, build_signed_skill_artifact};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra skills package build ./notes --out notes.palyra-skill --signing-key-vault-ref release
  palyra skills package build ./notes --out notes.palyra-skill \\
      --signing-key-file release.key --key-passphrase-file /run/secrets/release";

const MORE: &str = "\
The archive holds `skill.toml`, `modules/`, `assets/`, a generated bill of materials, a provenance statement
and the signature. The same files and key give the same bytes everywhere.";

/// Package and sign a skill.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct BuildArgs {
    /// The directory with `skill.toml`, `modules/` and `assets/`
    directory: PathBuf,

    /// The file to write; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    #[arg(env = PALYRA_SKILLS_PACKAGE_BUILD_OUT, hide_env_values = true)]
    out: PathBuf,

    #[command(flatten)]
    signing_key: SigningKeyArgs,
}

#[derive(Serialize)]
pub(super) struct Built {
    skill_id: String,
    version: String,
    path: String,
    bytes: u64,
    sha256: Sha256Digest,
    payload: Sha256Digest,
    key_ids: Vec<String>,
    audit: AuditReport,
}

pub(super) fn run(args: &BuildArgs, globals: &Globals) -> Result<Built, CliError> {
    let directory = SkillDirectory::read(&args.directory)?;
    let key = args.signing_key.open(globals)?;
    let built = build(&directory, &key)?;
    let audit = audit(&directory, &built);
    write_whole(&args.out, &built.bytes)?;
    Ok(Built {
        skill_id: built.manifest.skill_id.clone(),
        version: built.manifest.version.to_string(),
        path: args.out.display().to_string(),
        bytes: built.bytes.len() as u64,
        sha256: built.archive_digest,
        payload: built.payload,
        key_ids: built.key_ids.iter().map(ToString::to_string).collect(),
        audit,
    })
}

fn build(directory: &SkillDirectory, key: &SkillSigningKey) -> Result<BuiltArtifact, CliError> {
    let request = BuildRequest {
        manifest_toml: &directory.manifest,
        modules: borrowed(&directory.modules),
        assets: borrowed(&directory.assets),
        signers: vec![key],
        ..BuildRequest::default()
    };
    Ok(build_signed_skill_artifact(&request)?)
}

/// What those who install it will be told, told to the author first.
fn audit(directory: &SkillDirectory, built: &BuiltArtifact) -> AuditReport {
    let mut entries = vec![("skill.toml", directory.manifest.as_bytes())];
    entries.extend(borrowed(&directory.modules));
    entries.extend(borrowed(&directory.assets));
    audit_entries(&built.manifest, &entries, &AuditPolicy::default(), &InstalledTools::none())
}

fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
}

/// The file appears whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let cannot = |error: std::io::Error| CliError::unusable_place("place of the package", folder, &error);
    let mut part = tempfile::NamedTempFile::new_in(folder).map_err(cannot)?;
    part.write_all(bytes).and_then(|()| part.as_file().sync_all()).map_err(cannot)?;
    part.persist(path).map_err(|error| {
        CliError::usage(format!("`{}` cannot be written: {}", path.display(), error.error))
    })?;
    Ok(())
}

impl Judged for Built {}

impl Reply for Built {
    const SCHEMA: &'static str = "palyra.skills.package.build/v1";

    fn data(&self) -> String {
        facts(&[
            ("package", self.path.clone()),
            ("skill", format!("{} {}", self.skill_id, self.version)),
            ("size", byte_count(self.bytes)),
            ("sha256", self.sha256.to_string()),
            ("payload", self.payload.to_string()),
            ("signed by", self.key_ids.join(", ")),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = skills::finding_remarks(&self.audit);
        talk.push(match self.audit.verdict {
            Verdict::Pass => {
                Remark::Next(format!("try it with `palyra skills install {} --allow-tofu`", self.path))
            }
            Verdict::Quarantine => Remark::Warning(
                "those who install it will see it quarantined, unless they accept what is found".into(),
            ),
            Verdict::Refuse => Remark::Warning("nobody can install it as it is".into()),
        });
        talk
    }
}

//! `palyra skills package build`.

use super::directory::SkillDirectory;
use super::publisher_keys::PublisherKeyArgs;
use super::signing_key::{SigningKeyArgs, VaultKeys, public_halves, sign_with};
use crate::cli::Globals;
use crate::client;
use crate::commands::skills::Judged;
use crate::error::CliError;
use crate::output::{Remark, Reply, byte_count, facts, skills};
use clap::Args;
use palyra_skills::audit::{AuditPolicy, AuditReport, InstalledTools, Verdict, audit_entries};
use palyra_skills::signing::PublisherKey;
use palyra_skills::trust::Succession;
use palyra_skills::{
    BuildError, BuildRequest, BuiltArtifact, PackedRelease, Sha256Digest, pack_skill_artifact,
    parse_manifest_toml,
};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra skills package build ./notes --out notes.palyra-skill --signing-key-vault-ref release
  palyra skills package build ./notes --out notes.palyra-skill \\
      --signing-key-file release.key --key-passphrase-file /run/secrets/release
  palyra skills package build ./notes --out notes.palyra-skill --signing-key-vault-ref release-2 \\
      --succession rotation.json
  palyra skills package build ./notes --out notes.palyra-skill --signing-key-vault-ref one \\
      --publisher-key ed25519-public:KEY2 --publisher-key ed25519-public:KEY3 --threshold 2";

const MORE: &str = "\
The archive holds `skill.toml`, `modules/`, `assets/`, a generated bill of materials, a provenance statement
and the signature. The same files and key give the same bytes everywhere.

After `palyra keys rotate` on this state root the rotation statements go into the package by themselves;
elsewhere `--succession` names them. A package with fewer signatures than its threshold gets the others
with `palyra skills package sign`.";

/// Package and sign a skill.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct BuildArgs {
    /// The directory with `skill.toml`, `modules/` and `assets/`
    directory: PathBuf,

    /// The file to write; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    signing_key: SigningKeyArgs,

    #[command(flatten)]
    publisher_keys: PublisherKeyArgs,
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
    /// The epoch of the publisher's keys.
    epoch: u64,
    /// Rotation statements in the package.
    rotations: usize,
    missing_signatures: u32,
    /// Whether the state root trusts other keys for this publisher.
    #[serde(skip)]
    other_keys_trusted: bool,
    audit: AuditReport,
}

/// The release, and what was decided about its keys.
struct Release {
    built: BuiltArtifact,
    succession: Succession,
    other_keys_trusted: bool,
}

pub(super) fn run(args: &BuildArgs, globals: &Globals) -> Result<Built, CliError> {
    let directory = SkillDirectory::read(&args.directory)?;
    let manifest =
        parse_manifest_toml(&directory.manifest).map_err(|error| BuildError::Manifest(Box::new(error)))?;
    let Release { built, succession, other_keys_trusted } = match args.signing_key.vault_names() {
        [] => build_with_files(args, &directory, &manifest.publisher, globals)?,
        names => build_with_vault(args, &directory, &manifest.publisher, names, globals)?,
    };
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
        epoch: succession.epoch,
        rotations: succession.lineage.len(),
        missing_signatures: built.missing_signatures,
        other_keys_trusted,
        audit,
    })
}

/// Signs with key files; no state root is needed, and none is asked.
fn build_with_files(
    args: &BuildArgs,
    directory: &SkillDirectory,
    publisher: &str,
    globals: &Globals,
) -> Result<Release, CliError> {
    let keys = args.signing_key.open_files(globals)?;
    let signers = public_halves(&keys);
    let succession = args.publisher_keys.resolve(publisher, &signers, None)?;
    let packed = pack(directory, &succession, &signers)?;
    let built = packed.finish(sign_with(&keys, packed.statement()))?;
    Ok(Release { built, succession, other_keys_trusted: false })
}

/// Signs with keys of the vault, through whichever process owns the state root.
fn build_with_vault(
    args: &BuildArgs,
    directory: &SkillDirectory,
    publisher: &str,
    names: &[String],
    globals: &Globals,
) -> Result<Release, CliError> {
    client::ask(globals, "skills package build", async |client| {
        let keys = VaultKeys::find(&client, names).await?;
        let known = client.succession(publisher).await?;
        let succession = args.publisher_keys.resolve(publisher, keys.public(), Some(&known))?;
        let packed = pack(directory, &succession, keys.public())?;
        let built = packed.finish(keys.sign(packed.statement()).await?)?;
        let other_keys_trusted = !known.keys.is_empty() && succession.keys.is_none();
        Ok::<_, CliError>(Release { built, succession, other_keys_trusted })
    })
}

fn pack<'a>(
    directory: &'a SkillDirectory,
    succession: &Succession,
    signers: &[PublisherKey],
) -> Result<PackedRelease<'a>, CliError> {
    let request = BuildRequest {
        manifest_toml: &directory.manifest,
        modules: borrowed(&directory.modules),
        assets: borrowed(&directory.assets),
        publisher_keys: succession.keys.clone(),
        publisher_epoch: succession.epoch,
        lineage: succession.lineage.clone(),
        ..BuildRequest::default()
    };
    Ok(pack_skill_artifact(&request, signers)?)
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
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
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

/// What is still to be done before anybody can install the package.
pub(super) fn signatures_missing(missing: u32, path: &str) -> Vec<Remark> {
    let count = match missing {
        0 => return Vec::new(),
        1 => "one more signature is".to_owned(),
        more => format!("{more} more signatures are"),
    };
    vec![
        Remark::Warning(format!("{count} needed before it can be installed")),
        Remark::Next(format!(
            "where another key is: `palyra skills package sign {path} --signing-key-vault-ref NAME`"
        )),
    ]
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
            ("epoch", if self.epoch > 0 { self.epoch.to_string() } else { String::new() }),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = skills::finding_remarks(&self.audit);
        if self.other_keys_trusted {
            talk.push(Remark::Warning(
                "this state root trusts other keys for the publisher, and machines that do so refuse this package; \
                 build it with `--succession FILE`"
                    .into(),
            ));
        }
        talk.extend(signatures_missing(self.missing_signatures, &self.path));
        talk.extend(match self.audit.verdict {
            Verdict::Pass if self.missing_signatures > 0 => None,
            Verdict::Pass => {
                Some(Remark::Next(format!("try it with `palyra skills install {} --allow-tofu`", self.path)))
            }
            Verdict::Quarantine => Some(Remark::Warning(
                "those who install it will see it quarantined, unless they accept what is found".into(),
            )),
            Verdict::Refuse => Some(Remark::Warning("nobody can install it as it is".into())),
        });
        talk
    }
}

//! `palyra skills package build`.

use super::directory::SkillDirectory;
use super::publisher_keys::PublisherKeyArgs;
use super::signing_key::{SigningKeyArgs, VaultKeys, public_halves, sign_with};
use crate::cli::Globals;
use crate::client;
use crate::commands::skills::Judged;
use crate::commands::skills::checked::{Checked, borrowed};
use crate::error::CliError;
use crate::files::write_whole;
use crate::output::{Printer, Remark, Reply, byte_count, facts};
use clap::Args;
use palyra_skills::audit::Verdict;
use palyra_skills::signing::PublisherKey;
use palyra_skills::trust::Succession;
use palyra_skills::{BuildRequest, BuiltArtifact, PackedRelease, Sha256Digest, pack_skill_artifact};
use serde::Serialize;
use std::path::PathBuf;

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

After `palyra keys rotate` on this state root the package includes the rotation statements; elsewhere name them
with `--succession`. `palyra skills package sign` adds the signatures that a threshold needs.

The description in a component must match skill.toml. Differences are shown with both sides; `--write` updates
skill.toml from the component. Exits with 6 if the package could not run.";

/// Build and sign a package
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct BuildArgs {
    /// Directory with `skill.toml`, `modules/` and `assets/`
    directory: PathBuf,

    /// Package to write; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Update skill.toml with what the modules describe
    #[arg(long)]
    write: bool,

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
    /// Epoch of the publisher's keys.
    epoch: u64,
    /// Number of rotation statements in the package.
    rotations: usize,
    missing_signatures: u32,
    #[serde(flatten)]
    checked: Checked,
    /// True if the state root trusts other keys for this publisher.
    #[serde(skip)]
    other_keys_trusted: bool,
}

/// The release, with the decisions about its keys.
struct Release {
    built: BuiltArtifact,
    succession: Succession,
    other_keys_trusted: bool,
}

pub(super) fn run(args: &BuildArgs, globals: &Globals, printer: &Printer) -> Result<Built, CliError> {
    let mut directory = SkillDirectory::read(&args.directory)?;
    let (manifest, checked) = Checked::new(&args.directory, &mut directory, args.write, printer)?;
    let Release { built, succession, other_keys_trusted } = match args.signing_key.vault_names() {
        [] => build_with_files(args, &directory, &manifest.publisher, globals)?,
        names => build_with_vault(args, &directory, &manifest.publisher, names, globals)?,
    };
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
        checked,
        other_keys_trusted,
    })
}

/// Signs with key files, without a state root.
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

/// Signs with keys of the vault, in the process that owns the state root.
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

/// Returns remarks about signatures that the package still needs.
pub(super) fn signatures_missing(missing: u32, path: &str) -> Vec<Remark> {
    let count = match missing {
        0 => return Vec::new(),
        1 => "one more signature is".to_owned(),
        more => format!("{more} more signatures are"),
    };
    vec![
        Remark::Warning(format!("{count} needed before it can be installed")),
        Remark::Next(format!(
            "on the machine with another key: `palyra skills package sign {path} --signing-key-vault-ref \
            NAME`"
        )),
    ]
}

impl Judged for Built {
    fn exit_code(&self) -> u8 {
        self.checked.exit_code()
    }
}

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
        let mut talk = self.checked.remarks();
        if self.other_keys_trusted {
            talk.push(Remark::Warning(
                "this state root trusts other keys for the publisher and will reject this package, as other machines will; \
                 build it with `--succession FILE`"
                    .into(),
            ));
        }
        talk.extend(signatures_missing(self.missing_signatures, &self.path));
        talk.extend(match self.checked.audit.verdict {
            Verdict::Pass if self.missing_signatures > 0 || !self.checked.can_run() => None,
            Verdict::Pass => {
                Some(Remark::Next(format!("try it with `palyra skills install {} --allow-tofu`", self.path)))
            }
            Verdict::Quarantine => Some(Remark::Warning(
                "the skill is quarantined when it is installed, until the findings are accepted".into(),
            )),
            Verdict::Refuse => Some(Remark::Warning("it cannot be installed: the audit rejects it".into())),
        });
        talk
    }
}

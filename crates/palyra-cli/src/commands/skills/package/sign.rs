//! `palyra skills package sign`.

use super::build::signatures_missing;
use super::signing_key::{SigningKeyArgs, VaultKeys, public_halves, sign_with};
use crate::cli::Globals;
use crate::client;
use crate::commands::skills::Judged;
use crate::commands::skills::package_file::read;
use crate::error::CliError;
use crate::files::write_whole;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_skills::signing::PublisherKey;
use palyra_skills::{BuiltArtifact, CosignedPackage, Sha256Digest};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra skills package sign notes.palyra-skill --signing-key-vault-ref two
  palyra skills package sign notes.palyra-skill --out signed.palyra-skill --signing-key-vault-ref two";

const MORE: &str = "\
The package must list the key, which `--publisher-key` of `build` does. Every byte and existing signature is
verified first; the signed statement and the payload do not change.";

/// Add a signature to a package
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SignArgs {
    /// Package file
    file: PathBuf,

    /// File to write [default: the package itself]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    signing_key: SigningKeyArgs,
}

#[derive(Serialize)]
pub(super) struct Signed {
    skill_id: String,
    version: String,
    path: String,
    sha256: Sha256Digest,
    payload: Sha256Digest,
    key_ids: Vec<String>,
    missing_signatures: u32,
}

pub(super) fn run(args: &SignArgs, globals: &Globals) -> Result<Signed, CliError> {
    let package = CosignedPackage::read(read(&args.file)?)?;
    let built = match args.signing_key.vault_names() {
        [] => {
            let keys = args.signing_key.open_files(globals)?;
            check(&package, &public_halves(&keys))?;
            package.with_signatures(sign_with(&keys, package.statement()))?
        }
        names => sign_with_vault(&package, names, globals)?,
    };
    let path = args.out.as_ref().unwrap_or(&args.file);
    write_whole(path, &built.bytes)?;
    Ok(Signed {
        skill_id: built.manifest.skill_id.clone(),
        version: built.manifest.version.to_string(),
        path: path.display().to_string(),
        sha256: built.archive_digest,
        payload: built.payload,
        key_ids: built.key_ids.iter().map(ToString::to_string).collect(),
        missing_signatures: built.missing_signatures,
    })
}

fn sign_with_vault(
    package: &CosignedPackage,
    names: &[String],
    globals: &Globals,
) -> Result<BuiltArtifact, CliError> {
    client::ask(globals, "skills package sign", async |client| {
        let keys = VaultKeys::find(&client, names).await?;
        check(package, keys.public())?;
        Ok::<_, CliError>(package.with_signatures(keys.sign(package.statement()).await?)?)
    })
}

fn check(package: &CosignedPackage, keys: &[PublisherKey]) -> Result<(), CliError> {
    keys.iter().try_for_each(|key| Ok(package.check_signer(key)?))
}

impl Judged for Signed {}

impl Reply for Signed {
    const SCHEMA: &'static str = "palyra.skills.package.sign/v1";

    fn data(&self) -> String {
        facts(&[
            ("package", self.path.clone()),
            ("skill", format!("{} {}", self.skill_id, self.version)),
            ("sha256", self.sha256.to_string()),
            ("payload", self.payload.to_string()),
            ("signed by", self.key_ids.join(", ")),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        signatures_missing(self.missing_signatures, &self.path)
    }
}

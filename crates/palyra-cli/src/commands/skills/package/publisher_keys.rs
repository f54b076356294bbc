//! The publisher's keys in a release: the keys, their epoch, and the rotations that led to them.

use crate::error::CliError;
use crate::files::read_file;
use clap::Args;
use palyra_api::keys::Succession as KnownSuccession;
use palyra_skills::signing::{KeySet, PublisherKey};
use palyra_skills::trust::{SignedRotation, Succession, TrustStatement, TrustStatementError, TrustedKeys};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Maximum size of a file with a rotation statement; one from 16 keys to 16 others has about 15 kB.
const MAX_ROTATION_BYTES: u64 = 64 << 10;

/// The publisher's keys, where they are more than those that sign or follow others
#[derive(Args)]
#[command(next_help_heading = "Publisher keys")]
#[group(skip)]
pub(super) struct PublisherKeyArgs {
    /// Rotation statement that led to the current keys (repeatable)
    #[arg(long, value_name = "FILE")]
    succession: Vec<PathBuf>,

    /// Key of the publisher that does not sign now (repeatable)
    #[arg(long, value_name = "KEY")]
    publisher_key: Vec<PublisherKey>,

    /// Number of the publisher's keys that must sign [default: all]
    #[arg(long, value_name = "N", requires = "publisher_key")]
    threshold: Option<u32>,
}

impl PublisherKeyArgs {
    /// Returns the succession from the command line, or else from the state root.
    pub(super) fn resolve(
        &self,
        publisher: &str,
        signers: &[PublisherKey],
        known: Option<&KnownSuccession>,
    ) -> Result<Succession, CliError> {
        let mut succession = match self.succession.as_slice() {
            [] => found(publisher, signers, known),
            files => given(publisher, signers, files)?,
        };
        if !self.publisher_key.is_empty() {
            let keys: BTreeSet<PublisherKey> = self.publisher_key.iter().chain(signers).copied().collect();
            let all = u32::try_from(keys.len()).unwrap_or(u32::MAX);
            let set = KeySet::new(keys, self.threshold.unwrap_or(all));
            succession.keys = Some(set.map_err(|error| CliError::usage(error.to_string()))?);
        }
        Ok(succession)
    }
}

fn found(publisher: &str, signers: &[PublisherKey], known: Option<&KnownSuccession>) -> Succession {
    let Some(known) = known else { return Succession::default() };
    let statements: Vec<SignedRotation> = known
        .statements
        .iter()
        .filter_map(|statement| rotation(statement.get().as_bytes()).ok().flatten())
        .collect();
    let keys = known.keys.iter().filter_map(|key| key.parse().ok());
    let keys = KeySet::new(keys, known.threshold.unwrap_or(1)).ok();
    let trusted = keys.map(|keys| TrustedKeys { keys, epoch: known.epoch });
    Succession::find(publisher, signers, &statements, trusted.as_ref())
}

fn given(publisher: &str, signers: &[PublisherKey], files: &[PathBuf]) -> Result<Succession, CliError> {
    let statements = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let succession = Succession::find(publisher, signers, &statements, None);
    if succession.lineage.is_empty() {
        let message = format!("no rotation statement of publisher `{publisher}` leads to the keys that sign");
        return Err(CliError::usage_with_hint(
            message,
            "pass the statement that names these keys as successors, or sign with the keys that it names",
        ));
    }
    Ok(succession)
}

fn read(path: &Path) -> Result<SignedRotation, CliError> {
    let bytes = read_file(path, MAX_ROTATION_BYTES)?;
    let unusable = |why: String| {
        let message = format!("`{}` is not a rotation statement: {why}", path.display());
        CliError::usage_with_hint(message, "pass a file that `palyra keys rotate` wrote")
    };
    let read = rotation(&bytes).map_err(|error| unusable(error.to_string()))?;
    read.ok_or_else(|| unusable("it is a revocation list".into()))
}

fn rotation(bytes: &[u8]) -> Result<Option<SignedRotation>, TrustStatementError> {
    Ok(match TrustStatement::parse(bytes)? {
        TrustStatement::Rotation(rotation) => Some(*rotation),
        TrustStatement::Revocations(_) => None,
    })
}

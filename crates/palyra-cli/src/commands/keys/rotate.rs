//! `palyra keys rotate`: the old keys name their successors, and both sign.

use super::partial::{add_signatures, encode, missing, public_half};
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::keys::RotateRequest;
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::{KeySet, ListedKey, PublisherKey};
use palyra_skills::trust::PartialRotation;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra keys new release-2
  palyra keys rotate acme --from release --to release-2 --out rotation.json";

const MORE: &str = "\
Writes a statement signed by the old and the new keys. The old keys are retired and sign nothing more, because
two different successors for one epoch would block the publisher everywhere. Releases built on this state root
carry the statement; elsewhere add `--succession FILE`. Repeating the command writes the same statement. The
epoch is known from earlier rotations, or 0 for a publisher's first keys, so `--epoch` is rarely needed.
With `--from-key` or `--to-key` only the keys of this vault sign; the holders of the others add their signatures
with `palyra keys sign FILE`.";

/// Replace a publisher's keys with new ones
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RotateArgs {
    /// Publisher that owns the keys
    publisher: PublisherName,

    /// Key to retire (repeatable)
    #[arg(long, required_unless_present = "from_key", value_name = "NAME")]
    from: Vec<String>,

    /// Key to introduce (repeatable)
    #[arg(long, required_unless_present = "to_key", value_name = "NAME")]
    to: Vec<String>,

    /// Public key to retire that another machine holds (repeatable)
    #[arg(long, value_name = "KEY")]
    from_key: Vec<PublisherKey>,

    /// Public key to introduce that another machine holds (repeatable)
    #[arg(long, value_name = "KEY")]
    to_key: Vec<PublisherKey>,

    /// Number of old keys that must sign
    #[arg(long, default_value_t = 1, value_name = "N")]
    from_threshold: u32,

    /// Number of new keys that must sign from now on
    #[arg(long, default_value_t = 1, value_name = "N")]
    to_threshold: u32,

    /// Epoch that ends [default: the current one, or 0]
    #[arg(long, value_name = "N")]
    epoch: Option<u64>,

    /// File to write the statement to; it must not exist
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Rotated {
    publisher: String,
    from_epoch: u64,
    to_epoch: u64,
    retired: Vec<String>,
    new_keys: Vec<String>,
    statement: String,
    statement_sha256: String,
    missing_old_signatures: u32,
    missing_new_keys: Vec<String>,
}

pub(super) fn execute(args: &RotateArgs, globals: &Globals) -> Result<Rotated, CliError> {
    // The old keys cannot sign afterwards, so make sure first that the statement can be written.
    let out = NewFile::prepare(&args.out)?;
    if !args.from_key.is_empty() || !args.to_key.is_empty() {
        let rotation = client::ask(globals, "keys rotate", async |client| begin(&client, args).await)?;
        out.write(&encode(&rotation)?)?;
        return Ok(Rotated::partial(&rotation, args));
    }
    let request = RotateRequest {
        from: args.from.clone(),
        to: args.to.clone(),
        from_threshold: args.from_threshold,
        to_threshold: args.to_threshold,
        epoch: args.epoch,
    };
    let rotate = async |client: AnyClient| client.rotate_keys(args.publisher.as_str(), &request).await;
    let rotation = client::ask(globals, "keys rotate", rotate)?;
    out.write(rotation.statement.get().as_bytes())?;
    Ok(Rotated {
        publisher: rotation.publisher,
        from_epoch: rotation.from_epoch,
        to_epoch: rotation.to_epoch,
        retired: rotation.retired,
        new_keys: rotation.new_keys,
        statement: args.out.display().to_string(),
        statement_sha256: rotation.statement_sha256,
        missing_old_signatures: 0,
        missing_new_keys: Vec::new(),
    })
}

/// Creates a rotation with keys of other machines, and signs it with those of this vault.
async fn begin(client: &AnyClient, args: &RotateArgs) -> Result<PartialRotation, CliError> {
    let epoch = match args.epoch {
        Some(epoch) => epoch,
        None => client.succession(args.publisher.as_str()).await?.epoch.unwrap_or_default(),
    };
    let (mut old, mut new) = (args.from_key.clone(), args.to_key.clone());
    for (names, keys) in [(&args.from, &mut old), (&args.to, &mut new)] {
        for name in names {
            keys.push(public_half(client, name).await?);
        }
    }
    let refused = |error: &dyn std::error::Error| CliError::usage(error.to_string());
    let old = KeySet::new(old, args.from_threshold).map_err(|error| refused(&error))?;
    let new = KeySet::new(new, args.to_threshold).map_err(|error| refused(&error))?;
    let rotation = PartialRotation::new(args.publisher.as_str(), epoch, &old, &new);
    let rotation = rotation.map_err(|error| refused(&error))?;
    let mut names: Vec<String> = args.from.iter().chain(&args.to).cloned().collect();
    names.sort();
    names.dedup();
    add_signatures(client, rotation, &names).await
}

impl Rotated {
    fn partial(rotation: &PartialRotation, args: &RotateArgs) -> Self {
        let statement = rotation.statement();
        let ids = |keys: &[ListedKey]| keys.iter().map(|key| key.key_id.to_string()).collect();
        Self {
            publisher: statement.publisher.clone(),
            from_epoch: statement.from_epoch,
            to_epoch: statement.to_epoch,
            retired: ids(&statement.old_keys),
            new_keys: ids(&statement.new_keys),
            statement: args.out.display().to_string(),
            statement_sha256: rotation.digest().to_string(),
            missing_old_signatures: rotation.missing_old_keys(),
            missing_new_keys: rotation.missing_new_keys().iter().map(ToString::to_string).collect(),
        }
    }
}

impl Reply for Rotated {
    const SCHEMA: &'static str = "palyra.keys.rotate/v1";

    fn data(&self) -> String {
        facts(&[
            ("publisher", self.publisher.clone()),
            ("epoch", format!("{} to {}", self.from_epoch, self.to_epoch)),
            ("retired", self.retired.join(", ")),
            ("successor", self.new_keys.join(", ")),
            ("statement", self.statement.clone()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        missing(self.missing_old_signatures, &self.missing_new_keys, &self.statement)
    }
}

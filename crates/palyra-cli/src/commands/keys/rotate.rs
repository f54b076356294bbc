//! `palyra keys rotate`: the old keys name their successors, and both sign.

use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::keys::RotateRequest;
use palyra_skills::manifest::PublisherName;
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
epoch is known from earlier rotations, or 0 for a publisher's first keys, so `--epoch` is rarely needed.";

/// Replace a publisher's keys with new ones
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RotateArgs {
    /// Publisher that owns the keys
    publisher: PublisherName,

    /// Key to retire (repeatable)
    #[arg(long, required = true, value_name = "NAME")]
    from: Vec<String>,

    /// Key to introduce (repeatable)
    #[arg(long, required = true, value_name = "NAME")]
    to: Vec<String>,

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
}

pub(super) fn execute(args: &RotateArgs, globals: &Globals) -> Result<Rotated, CliError> {
    // The old keys cannot sign afterwards, so make sure first that the statement can be written.
    let out = NewFile::prepare(&args.out)?;
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
    })
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
        vec![Remark::Next(format!(
            "everyone who trusts you applies it with `palyra trust apply {}`",
            self.statement
        ))]
    }
}

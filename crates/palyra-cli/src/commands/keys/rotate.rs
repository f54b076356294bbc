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
The old keys are retired: they sign no more, because two different successors for one epoch
would block the publisher everywhere. Your next release carries the statement by itself when it
is built on this state root, and with `--succession FILE` elsewhere; those who trust you can also
apply it. The same command, asked again, writes the very same statement. `--epoch` is rarely
needed: the epoch is known here, or follows from rotations that were signed here, or is 0, that of
a publisher's first keys. One that contradicts what is known is refused. If a statement was
written with a wrong epoch, ask again with the right one.";

/// Hand over to other keys: writes a statement signed by the old keys and the new ones.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RotateArgs {
    /// The publisher whose keys they are
    publisher: PublisherName,

    /// A key that ends; may be given again
    #[arg(long, required = true, value_name = "NAME")]
    from: Vec<String>,

    /// A key that begins; may be given again
    #[arg(long, required = true, value_name = "NAME")]
    to: Vec<String>,

    /// How many of the old keys must sign
    #[arg(long, default_value_t = 1, value_name = "N")]
    from_threshold: u32,

    /// How many of the new keys must sign from now on
    #[arg(long, default_value_t = 1, value_name = "N")]
    to_threshold: u32,

    /// The epoch that ends [default: the one known here, else 0]
    #[arg(long, value_name = "N")]
    epoch: Option<u64>,

    /// Where the statement is written; the file must not exist
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
    // The old keys sign no more after this: first make sure that the statement can be written.
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
            "whoever trusts you follows it with `palyra trust apply {}`",
            self.statement
        ))]
    }
}

//! `palyra keys sign`: the keys of one machine sign a rotation that others signed.

use super::partial::{add_signatures, encode, missing};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::{read_file, write_whole};
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::trust::MAX_STATEMENT_BYTES;
use palyra_skills::trust::PartialRotation;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra keys sign rotation.json --key two --key two-2";

const MORE: &str = "\
The rotation must list the keys. An old key that is not among the new ones is retired. Every signature in the
file is verified first; the signed statement does not change.";

/// Add signatures to a key rotation
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SignArgs {
    /// File from `palyra keys rotate`
    file: PathBuf,

    /// Key that signs (repeatable)
    #[arg(long, required = true, value_name = "NAME")]
    key: Vec<String>,

    /// File to write [default: the statement itself]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Signed {
    publisher: String,
    from_epoch: u64,
    to_epoch: u64,
    statement: String,
    statement_sha256: String,
    missing_old_signatures: u32,
    missing_new_keys: Vec<String>,
}

pub(super) fn execute(args: &SignArgs, globals: &Globals) -> Result<Signed, CliError> {
    let read = PartialRotation::read(&read_file(&args.file, MAX_STATEMENT_BYTES as u64)?);
    let rotation = read.map_err(|error| CliError::usage(format!("`{}`: {error}", args.file.display())))?;
    let sign = async |client| add_signatures(&client, rotation, &args.key).await;
    let rotation = client::ask(globals, "keys sign", sign)?;
    let path = args.out.as_ref().unwrap_or(&args.file);
    write_whole(path, &encode(&rotation)?)?;
    let statement = rotation.statement();
    Ok(Signed {
        publisher: statement.publisher.clone(),
        from_epoch: statement.from_epoch,
        to_epoch: statement.to_epoch,
        statement: path.display().to_string(),
        statement_sha256: rotation.digest().to_string(),
        missing_old_signatures: rotation.missing_old_keys(),
        missing_new_keys: rotation.missing_new_keys().iter().map(ToString::to_string).collect(),
    })
}

impl Reply for Signed {
    const SCHEMA: &'static str = "palyra.keys.sign/v1";

    fn data(&self) -> String {
        facts(&[
            ("publisher", self.publisher.clone()),
            ("epoch", format!("{} to {}", self.from_epoch, self.to_epoch)),
            ("statement", self.statement.clone()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        missing(self.missing_old_signatures, &self.missing_new_keys, &self.statement)
    }
}

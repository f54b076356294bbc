//! `palyra trust apply`: a signed rotation or revocation list.

use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::files::read_file;
use crate::output::{Reply, facts};
use crate::standard_input::StandardInput;
use clap::Args;
use palyra_api::trust::{AppliedStatement, MAX_STATEMENT_BYTES};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Maximum bytes of a statement that are read.
const MOST: u64 = MAX_STATEMENT_BYTES as u64;

const EXAMPLE: &str = "\
Example:
  palyra trust apply rotation.json
  curl -fsS https://acme.example/revoked.json | palyra trust apply -";

/// Apply a signed key rotation or revocation list
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ApplyArgs {
    /// Statement: a file, or `-` for standard input
    statement: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Applied(AppliedStatement);

pub(super) fn execute(args: &ApplyArgs, globals: &Globals) -> Result<Applied, CliError> {
    let statement = read(&args.statement, globals)?;
    let apply = async |client: AnyClient| client.apply_statement(statement).await;
    client::ask(globals, "trust apply", apply).map(Applied)
}

fn read(path: &Path, globals: &Globals) -> Result<Vec<u8>, CliError> {
    if path != Path::new("-") {
        return Ok(read_file(path, MOST)?);
    }
    match StandardInput::new(globals.no_input).read("trust apply -", MOST)? {
        (bytes, true) => Ok(bytes),
        (_, false) => Err(CliError::usage(format!("standard input has more than {MOST} bytes"))),
    }
}

impl Reply for Applied {
    const SCHEMA: &'static str = "palyra.trust.apply/v1";

    fn data(&self) -> String {
        let applied = &self.0;
        let happened = match (applied.outcome.as_str(), applied.newly_revoked) {
            ("rotated", _) => "the publisher's keys were rotated".to_owned(),
            (_, Some(added)) => format!("{added} newly revoked"),
            _ => "nothing changed: it was applied before".to_owned(),
        };
        facts(&[
            ("statement", applied.kind.clone()),
            ("by", applied.issuer.clone()),
            ("epoch", applied.to_epoch.map(|epoch| epoch.to_string()).unwrap_or_default()),
            ("number", applied.number.map(|number| number.to_string()).unwrap_or_default()),
            ("outcome", happened),
        ])
    }
}

//! `palyra trust apply`: a signed rotation or revocation list.

use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::files::read_file;
use crate::output::{Reply, facts};
use crate::standard_input::StandardInput;
use crate::state;
use clap::Args;
use palyra_skills::trust::{FeedIssuer, TrustStatement};
use palyra_state::StatementOutcome;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Most bytes of a statement that are read.
const MAX_STATEMENT_BYTES: u64 = 32 << 20;

const EXAMPLE: &str = "\
Example:
  palyra trust apply rotation.json
  curl -fsS https://acme.example/revoked.json | palyra trust apply -";

/// Follow a signed statement: a rotation of keys, or a list of what is revoked.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ApplyArgs {
    /// The statement: a file, or `-` for standard input
    statement: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Applied {
    /// `rotation` or `revocations`.
    kind: &'static str,
    issuer: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    newly_revoked: Option<usize>,
}

pub(super) fn execute(args: &ApplyArgs, globals: &Globals) -> Result<Applied, CliError> {
    let bytes = read(&args.statement, globals)?;
    let statement = TrustStatement::parse(&bytes).map_err(FileRefusal::from)?;
    let state = state::open(globals, "trust apply")?;
    let outcome = state.apply_statement(&statement)?;
    state::finish(state)?;
    let mut applied = describe(&statement);
    (applied.outcome, applied.newly_revoked) = match outcome {
        StatementOutcome::Rotated => ("rotated", None),
        StatementOutcome::Revoked { added } => ("revoked", Some(added)),
        StatementOutcome::AlreadyKnown => ("already_known", None),
        StatementOutcome::Forked => return Err(CliError::Equivocation { publisher: applied.issuer }),
    };
    Ok(applied)
}

fn read(path: &Path, globals: &Globals) -> Result<Vec<u8>, CliError> {
    if path != Path::new("-") {
        return Ok(read_file(path, MAX_STATEMENT_BYTES)?);
    }
    match StandardInput::new(globals.no_input).read("trust apply -", MAX_STATEMENT_BYTES)? {
        (bytes, true) => Ok(bytes),
        (_, false) => {
            Err(CliError::usage(format!("standard input has more than {MAX_STATEMENT_BYTES} bytes")))
        }
    }
}

fn describe(statement: &TrustStatement) -> Applied {
    match statement {
        TrustStatement::Rotation(rotation) => Applied {
            kind: "rotation",
            issuer: rotation.statement().publisher.clone(),
            outcome: "",
            to_epoch: Some(rotation.statement().to_epoch),
            number: None,
            newly_revoked: None,
        },
        TrustStatement::Revocations(signed) => Applied {
            kind: "revocations",
            issuer: match &signed.list().issuer {
                FeedIssuer::Publisher(name) | FeedIssuer::Feed(name) => name.clone(),
            },
            outcome: "",
            to_epoch: None,
            number: Some(signed.list().number),
            newly_revoked: None,
        },
    }
}

impl Reply for Applied {
    const SCHEMA: &'static str = "palyra.trust.apply/v1";

    fn data(&self) -> String {
        let happened = match (self.outcome, self.newly_revoked) {
            ("rotated", _) => "the publisher's keys handed over".to_owned(),
            (_, Some(added)) => format!("{added} newly revoked"),
            _ => "nothing new: it was applied before".to_owned(),
        };
        facts(&[
            ("statement", self.kind.to_owned()),
            ("by", self.issuer.clone()),
            ("epoch", self.to_epoch.map(|epoch| epoch.to_string()).unwrap_or_default()),
            ("number", self.number.map(|number| number.to_string()).unwrap_or_default()),
            ("outcome", happened),
        ])
    }
}

//! `palyra runs replay`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, duration_text, facts};
use clap::Args;
use palyra_api::runs::{ReplayAnswer, ReplayVerdict};
use palyra_plugins_runtime::Divergence;
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra runs replay run_0123456789abcdef0123";

/// Run a stored run again from its tape, without the outside world, and compare.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ReplayArgs {
    /// The run
    run: String,
}

#[derive(Serialize)]
pub(super) struct Replayed(ReplayAnswer);

pub(super) fn execute(args: &ReplayArgs, globals: &Globals) -> Result<Replayed, CliError> {
    let answer = client::ask(globals, "runs replay", async |client| client.replay(&args.run).await)?;
    match &answer.verdict {
        ReplayVerdict::Diverged(other) => Err(CliError::Diverged(Divergence {
            step: usize::try_from(other.step).unwrap_or(usize::MAX),
            what: other.what.clone(),
            expected: other.expected.clone(),
            found: other.found.clone(),
        })),
        ReplayVerdict::Identical | ReplayVerdict::SamePrefix => Ok(Replayed(answer)),
    }
}

impl Reply for Replayed {
    const SCHEMA: &'static str = "palyra.runs.replay/v1";

    fn data(&self) -> String {
        let Self(answer) = self;
        let verdict = match answer.verdict {
            ReplayVerdict::SamePrefix => "the same up to where the run was ended",
            _ => "the same as its tape",
        };
        facts(&[
            ("run", answer.run_id.clone()),
            ("replay", verdict.to_owned()),
            ("error", answer.error.clone().unwrap_or_default()),
            ("output", if answer.output.is_null() { String::new() } else { answer.output.to_string() }),
            ("took", duration_text(Duration::from_micros(answer.usage.elapsed_us))),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        let open = "the run opened files, which its tape of version 1 does not have";
        if self.0.open { vec![Remark::Warning(open.into())] } else { Vec::new() }
    }
}

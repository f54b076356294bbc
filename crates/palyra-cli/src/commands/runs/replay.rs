//! `palyra runs replay`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, duration_text, facts};
use clap::Args;
use palyra_api::runs::{ReplayAnswer, ReplayVerdict};
use serde::Serialize;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra runs replay latest";

/// Replay a run from its tape, without external access, and compare
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ReplayArgs {
    /// Run id, a unique prefix of it, or `latest`
    run: String,
}

#[derive(Serialize)]
pub(super) struct Replayed(ReplayAnswer);

pub(super) fn execute(args: &ReplayArgs, globals: &Globals) -> Result<Replayed, CliError> {
    let answer = client::ask(globals, "runs replay", async |client| {
        client.replay(&client::run_id(&client, &args.run).await?).await
    })?;
    match &answer.verdict {
        ReplayVerdict::Diverged(divergence) => Err(CliError::Diverged(divergence.clone())),
        ReplayVerdict::Identical | ReplayVerdict::SamePrefix => Ok(Replayed(answer)),
    }
}

impl Reply for Replayed {
    const SCHEMA: &'static str = "palyra.runs.replay/v1";

    fn data(&self) -> String {
        let Self(answer) = self;
        let verdict = match answer.verdict {
            ReplayVerdict::SamePrefix => "identical up to where the run ended",
            _ => "identical to its tape",
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

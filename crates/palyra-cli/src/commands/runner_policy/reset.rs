//! `palyra runner-policy reset`.

use super::value::shown;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::runner_policy::RunnerPolicyShown;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra runner-policy reset";

/// Restore the default runner policy
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ResetArgs {}

#[derive(Serialize)]
pub(super) struct Back(RunnerPolicyShown);

pub(super) fn execute(globals: &Globals) -> Result<Back, CliError> {
    client::ask(globals, "runner-policy reset", async |client| client.reset_runner_policy().await).map(Back)
}

impl Reply for Back {
    const SCHEMA: &'static str = "palyra.runner_policy.reset/v1";

    fn data(&self) -> String {
        shown(&self.0.policy)
    }
}

//! `palyra runner-policy show`.

use super::value::shown;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::runner_policy::RunnerPolicyShown;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra runner-policy show";

const MORE: &str = "\
Each line can be passed to `palyra runner-policy set`. `any` allows everything, an empty list nothing;
`most` is the ceiling of the sandbox.";

/// Show the runner policy
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ShowArgs {}

#[derive(Serialize)]
pub(super) struct Shown(RunnerPolicyShown);

pub(super) fn execute(globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "runner-policy show", async |client| client.runner_policy().await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.runner_policy.show/v1";

    fn data(&self) -> String {
        shown(&self.0.policy)
    }

    fn talk(&self) -> Vec<Remark> {
        let whose = if self.0.default { "this is the default policy" } else { "this is your own policy" };
        vec![Remark::Note(whose.into())]
    }
}

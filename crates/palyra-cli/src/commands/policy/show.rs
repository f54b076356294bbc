//! `palyra policy show`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::policy::AccessPolicy;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra policy show";

const MORE: &str = "\
Prints Cedar, which `palyra policy set` accepts.";

/// Show the access policy in force
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ShowArgs {}

#[derive(Serialize)]
pub(super) struct Shown(AccessPolicy);

pub(super) fn execute(globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "policy show", async |client| client.policy().await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.policy.show/v1";

    fn data(&self) -> String {
        self.0.text.clone()
    }

    fn talk(&self) -> Vec<Remark> {
        let AccessPolicy { default, revision, rules, problem, .. } = &self.0;
        if let Some(problem) = problem {
            return vec![
                Remark::Warning(format!(
                    "it is not in force, because this version cannot read it: {problem}"
                )),
                Remark::Next("palyra policy reset".into()),
            ];
        }
        let whose = if *default { "the default policy" } else { "your own policy" };
        let short = revision.get(..12).unwrap_or(revision);
        vec![Remark::Note(format!("{whose}, {} rules, revision {short}", rules.len()))]
    }
}

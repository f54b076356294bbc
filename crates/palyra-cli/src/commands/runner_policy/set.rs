//! `palyra runner-policy set`.

use super::value::{Assignment, shown};
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::runner_policy::{RunnerPolicyChange, RunnerPolicyShown};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra runner-policy set allow_inline_modules=true
  palyra runner-policy set fuel_budget=50000000 max_memory_bytes=128MiB
  palyra runner-policy set allowed_http_hosts=api.example.com,files.example.com
  palyra runner-policy set allowed_http_hosts=any";

const MORE: &str = "\
Other settings keep their values. Switches are `true` or `false`: `enabled`, `allow_inline_modules`. Ceilings are
numbers, or `most`: `max_module_bytes`, `fuel_budget`, `max_memory_bytes`, `max_table_elements`, `max_instances`,
`wall_clock_timeout_ms`. Lists are names separated by commas, or `any`: `allowed_http_hosts`, `allowed_secrets`,
`allowed_storage_prefixes`, `allowed_channels`; an empty list allows nothing. Runs that are no longer
allowed are cancelled.";

/// Change settings of the runner policy
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SetArgs {
    /// Setting and its value (repeatable)
    #[arg(value_name = "NAME=VALUE", required = true, value_parser = str::parse::<Assignment>)]
    settings: Vec<Assignment>,
}

#[derive(Serialize)]
pub(super) struct Changed(RunnerPolicyShown);

pub(super) fn execute(args: &SetArgs, globals: &Globals) -> Result<Changed, CliError> {
    let changed = client::ask(globals, "runner-policy set", async |client| {
        let RunnerPolicyShown { mut policy, revision, .. } = client.runner_policy().await?;
        args.settings.iter().for_each(|setting| setting.apply(&mut policy));
        let change = RunnerPolicyChange { policy, revision: Some(revision) };
        client.set_runner_policy(&change).await
    });
    changed.map(Changed)
}

impl Reply for Changed {
    const SCHEMA: &'static str = "palyra.runner_policy.set/v1";

    fn data(&self) -> String {
        shown(&self.0.policy)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.policy.enabled {
            Vec::new()
        } else {
            vec![Remark::Warning("nothing runs until `palyra runner-policy set enabled=true`".into())]
        }
    }
}

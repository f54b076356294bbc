//! `palyra policy set`.

use super::rules;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::read_file;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::policy::{AccessPolicy, PolicyChange};
use palyra_common::limits::MAX_POLICY_BYTES;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra policy show > policy.cedar
  palyra policy set policy.cedar";

const MORE: &str = "\
Actions that no rule permits are denied, and `forbid` wins over `permit`. A policy narrows what scopes allow and
never widens it. A policy that would prevent the owner from changing it again is rejected; see docs/policy.md.";

/// Replace the access policy
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SetArgs {
    /// File with the policy in Cedar, in the form `palyra policy show` prints
    file: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Changed(AccessPolicy);

pub(super) fn execute(args: &SetArgs, globals: &Globals) -> Result<Changed, CliError> {
    let bytes = read_file(&args.file, MAX_POLICY_BYTES as u64)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::usage(format!("`{}` is not text in UTF-8", args.file.display())))?;
    let change = PolicyChange { text };
    client::ask(globals, "policy set", async |client| client.set_policy(&change).await).map(Changed)
}

impl Reply for Changed {
    const SCHEMA: &'static str = "palyra.policy.set/v1";

    fn data(&self) -> String {
        rules(&self.0.rules, "permits")
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next("palyra policy check ACTION".into())]
    }
}

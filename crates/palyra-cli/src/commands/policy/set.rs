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
What no rule permits is denied, and a rule that forbids wins. A policy narrows what scopes allow
and never widens it. One that cannot be read is refused with its line, and so is one that would
keep the owner from changing it again; see docs/policy.md.";

/// Put another policy in force.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SetArgs {
    /// The policy in Cedar, as `palyra policy show` prints one
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

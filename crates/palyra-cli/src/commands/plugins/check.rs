//! `palyra plugins check`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::plugins::{PluginCheck, PluginFinding};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const EXAMPLE: &str = "\
Example:
  palyra plugins check acme.notes";

/// Check whether a call would start now, without running it
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct CheckArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Checked(PluginCheck);

pub(super) fn execute(args: &CheckArgs, globals: &Globals) -> Result<Checked, CliError> {
    client::ask(globals, "plugins check", async |client| client.check_plugin(&args.skill).await).map(Checked)
}

impl Reply for Checked {
    const SCHEMA: &'static str = "palyra.plugins.check/v1";

    fn data(&self) -> String {
        let verdict = if self.0.runnable { "a call would start" } else { "no call would start" };
        let line = |finding: &PluginFinding| {
            let mark = if finding.stops { "! " } else { "- " };
            format!("  {mark}{}: {}\n", finding.about, escape_untrusted(&finding.message))
        };
        format!("{verdict}\n") + &self.0.findings.iter().map(line).collect::<String>()
    }

    fn talk(&self) -> Vec<Remark> {
        // One command often fixes several findings.
        let remedies: BTreeSet<&String> =
            self.0.findings.iter().filter_map(|one| one.remedy.as_ref()).collect();
        remedies.into_iter().cloned().map(Remark::Next).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.findings.iter().map(|finding| json!(finding)).collect())
    }
}

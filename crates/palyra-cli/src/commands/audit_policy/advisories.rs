//! `palyra audit-policy advisories`.

use super::again;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::read_file;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::audit_policy::{AdvisoriesKept, AdvisoryList};
use palyra_common::limits::MAX_ADVISORY_BYTES;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy advisories advisories.json";

const MORE: &str = "\
The list is JSON: `date`, the day up to which it is complete, and `advisories`, each with `id`,
`ecosystem`, `package`, `affected`, `severity` and `title`. The
dependencies of every skill are checked against it, at installation and at every audit, until another list
replaces it. All installed skills are audited again at once.";

/// Import a list of known-vulnerable dependencies
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct AdvisoriesArgs {
    /// File with the list
    file: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Imported(AdvisoriesKept);

pub(super) fn execute(args: &AdvisoriesArgs, globals: &Globals) -> Result<Imported, CliError> {
    let text = read_file(&args.file, MAX_ADVISORY_BYTES as u64)?;
    let list: AdvisoryList = serde_json::from_slice(&text).map_err(|error| {
        CliError::usage_with_hint(
            format!("cannot read the advisory list: {error}"),
            "`palyra audit-policy advisories --help` describes the format",
        )
    })?;
    client::ask(globals, "audit-policy advisories", async |client| client.keep_advisories(&list).await)
        .map(Imported)
}

impl Reply for Imported {
    const SCHEMA: &'static str = "palyra.audit_policy.advisories/v1";

    fn data(&self) -> String {
        let summary = facts(&[
            ("advisories", self.0.list.advisories.to_string()),
            ("complete up to", self.0.list.date.clone()),
            ("before", self.0.before.clone().unwrap_or_default()),
            ("digest", self.0.list.digest.clone()),
        ]);
        summary + &again::shown(&self.0.audited_again)
    }

    fn talk(&self) -> Vec<Remark> {
        let older = self
            .0
            .before
            .as_ref()
            .filter(|before| **before > self.0.list.date)
            .map(|before| Remark::Warning(format!("the previous list was newer: {before}")));
        older.into_iter().chain(again::talk(&self.0.audited_again)).collect()
    }
}

//! `palyra audit-policy advisories`.

use super::again::{self, AuditedAgain};
use super::show::KeptList;
use crate::cli::Globals;
use crate::error::{CliError, sentence};
use crate::files::read_file;
use crate::output::{Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_skills::audit::{AdvisoryList, MAX_ADVISORY_BYTES};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy advisories advisories.json";

const MORE: &str = "\
The list is JSON: `date`, the day up to which it is complete, and `advisories`, each with `id`,
`ecosystem`, `package`, `affected`, `severity` and `title`. It is kept and held against the
dependencies of every skill, at installation and at every audit, until another one takes its
place. Everything installed is audited again at once.";

/// Keep a list of known-vulnerable dependencies.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct AdvisoriesArgs {
    /// The list
    file: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Imported {
    list: KeptList,
    /// The date of the list it takes the place of.
    before: Option<String>,
    audited_again: Vec<AuditedAgain>,
}

pub(super) fn execute(args: &AdvisoriesArgs, globals: &Globals) -> Result<Imported, CliError> {
    let text = read_file(&args.file, MAX_ADVISORY_BYTES)?;
    let list = AdvisoryList::from_json(&String::from_utf8_lossy(&text)).map_err(|error| {
        CliError::usage_with_hint(
            sentence(&error),
            "`palyra audit-policy advisories --help` says what a list is",
        )
    })?;
    let state = state::open(globals, "audit-policy advisories")?;
    let before = state.view().audit_policy().advisories().map(|list| list.date.clone());
    let audited_again = state.keep_advisories(&list)?.into_iter().map(AuditedAgain::of).collect();
    state::finish(state)?;
    Ok(Imported { list: KeptList::of(&list), before, audited_again })
}

impl Reply for Imported {
    const SCHEMA: &'static str = "palyra.audit_policy.advisories/v1";

    fn data(&self) -> String {
        let told = facts(&[
            ("advisories", self.list.advisories.to_string()),
            ("complete up to", self.list.date.clone()),
            ("before", self.before.clone().unwrap_or_default()),
            ("digest", self.list.digest.to_string()),
        ]);
        told + &again::shown(&self.audited_again)
    }

    fn talk(&self) -> Vec<Remark> {
        let older = self
            .before
            .as_ref()
            .filter(|before| **before > self.list.date)
            .map(|before| Remark::Warning(format!("the list before was newer: {before}")));
        older.into_iter().chain(again::talk(&self.audited_again)).collect()
    }
}

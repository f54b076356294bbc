//! `palyra audit-policy show`.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_skills::Sha256Digest;
use palyra_skills::audit::{AdvisoryList, AuditPolicy};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy show";

const MORE: &str = "\
It is printed as TOML, every setting with its value, ready to be changed and given to
`palyra audit-policy set`.";

/// Show what audits go by.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ShowArgs {}

#[derive(Serialize)]
pub(super) struct Shown {
    policy: AuditPolicy,
    /// Policy, rules and advisories; every report of an audit names it.
    digest: Sha256Digest,
    advisories: Option<KeptList>,
}

/// The list of known-vulnerable dependencies that is kept.
#[derive(Serialize)]
pub(super) struct KeptList {
    pub(super) date: String,
    pub(super) advisories: usize,
    pub(super) digest: Sha256Digest,
}

impl KeptList {
    pub(super) fn of(list: &AdvisoryList) -> Self {
        Self { date: list.date.clone(), advisories: list.advisories.len(), digest: list.digest() }
    }
}

pub(super) fn execute(globals: &Globals) -> Result<Shown, CliError> {
    let state = state::open(globals, "audit-policy show")?;
    let policy = state.view().audit_policy().clone();
    let advisories = policy.advisories().map(KeptList::of);
    Ok(Shown { digest: policy.digest(), policy, advisories })
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.audit_policy.show/v1";

    fn data(&self) -> String {
        self.policy.to_toml()
    }

    fn talk(&self) -> Vec<Remark> {
        match &self.advisories {
            Some(list) => {
                vec![Remark::Note(format!("{} advisories, complete up to {}", list.advisories, list.date))]
            }
            None => vec![Remark::Next(
                "no list of known-vulnerable dependencies is kept; import one with `palyra audit-policy advisories FILE`"
                    .into(),
            )],
        }
    }
}

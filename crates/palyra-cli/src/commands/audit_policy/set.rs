//! `palyra audit-policy set`.

use super::again::{self, AuditedAgain};
use crate::cli::Globals;
use crate::error::{CliError, sentence};
use crate::files::read_file;
use crate::output::{Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_skills::Sha256Digest;
use palyra_skills::audit::AuditPolicy;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy show > policy.toml
  palyra audit-policy set policy.toml";

const MORE: &str = "\
Everything installed is audited again at once; what the new policy keeps back is quarantined,
and nothing it would allow is let loose by itself. Rules about imports, hidden text and budgets
cannot be changed.";

/// A policy has about fifty lines.
const MOST_BYTES: u64 = 1 << 20;

/// Go by another policy.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SetArgs {
    /// The policy, as `palyra audit-policy show` prints one
    file: PathBuf,
}

#[derive(Serialize)]
pub(super) struct PolicySet {
    version: u64,
    digest: Sha256Digest,
    audited_again: Vec<AuditedAgain>,
}

pub(super) fn execute(args: &SetArgs, globals: &Globals) -> Result<PolicySet, CliError> {
    let text = read_file(&args.file, MOST_BYTES)?;
    let policy = AuditPolicy::from_toml(&String::from_utf8_lossy(&text))
        .map_err(|error| CliError::usage_with_hint(sentence(&error), error.hint()))?;
    let state = state::open(globals, "audit-policy set")?;
    let audited_again = state.set_audit_policy(&policy)?.into_iter().map(AuditedAgain::of).collect();
    let digest = state.view().audit_policy().digest();
    state::finish(state)?;
    Ok(PolicySet { version: policy.version, digest, audited_again })
}

impl Reply for PolicySet {
    const SCHEMA: &'static str = "palyra.audit_policy.set/v1";

    fn data(&self) -> String {
        let told = facts(&[("version", self.version.to_string()), ("digest", self.digest.to_string())]);
        told + &again::shown(&self.audited_again)
    }

    fn talk(&self) -> Vec<Remark> {
        again::talk(&self.audited_again)
    }
}

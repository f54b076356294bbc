//! `palyra audit-policy set`.

use super::again;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::read_file;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::audit_policy::{AuditPolicyChange, AuditPolicyChanged};
use palyra_common::limits::MAX_AUDIT_POLICY_BYTES;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy show > policy.toml
  palyra audit-policy set policy.toml";

const MORE: &str = "\
All installed skills are audited again at once. Skills that fail the new policy are quarantined;
skills that are already quarantined stay so until they are enabled. Rules about imports, hidden text and budgets
cannot be changed.";

/// Replace the audit policy
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct SetArgs {
    /// File with the policy, in the form `palyra audit-policy show` prints
    file: PathBuf,
}

#[derive(Serialize)]
pub(super) struct PolicySet(pub(super) AuditPolicyChanged);

pub(super) fn execute(args: &SetArgs, globals: &Globals) -> Result<PolicySet, CliError> {
    let bytes = read_file(&args.file, MAX_AUDIT_POLICY_BYTES as u64)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::usage(format!("`{}` is not text in UTF-8", args.file.display())))?;
    let change = AuditPolicyChange { text };
    client::ask(globals, "audit-policy set", async |client| client.set_audit_policy(&change).await)
        .map(PolicySet)
}

impl Reply for PolicySet {
    const SCHEMA: &'static str = "palyra.audit_policy.set/v1";

    fn data(&self) -> String {
        in_force(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        again::talk(&self.0.audited_again)
    }
}

/// Formats the current policy and the audits of all installed skills.
pub(super) fn in_force(changed: &AuditPolicyChanged) -> String {
    let summary = facts(&[("version", changed.version.to_string()), ("digest", changed.digest.clone())]);
    summary + &again::shown(&changed.audited_again)
}

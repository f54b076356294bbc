//! `palyra audit-policy reset`.

use super::again;
use super::set::in_force;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::audit_policy::AuditPolicyChanged;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy reset";

const MORE: &str = "\
All installed skills are audited again at once. The list of known-vulnerable dependencies is kept.";

/// Restore the default audit policy
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ResetArgs {}

#[derive(Serialize)]
pub(super) struct PolicyReset(AuditPolicyChanged);

pub(super) fn execute(globals: &Globals) -> Result<PolicyReset, CliError> {
    client::ask(globals, "audit-policy reset", async |client| client.reset_audit_policy().await)
        .map(PolicyReset)
}

impl Reply for PolicyReset {
    const SCHEMA: &'static str = "palyra.audit_policy.reset/v1";

    fn data(&self) -> String {
        in_force(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        again::talk(&self.0.audited_again)
    }
}

//! `palyra audit-policy show`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::audit_policy::AuditPolicyShown;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra audit-policy show";

const MORE: &str = "\
Prints TOML with every setting, which `palyra audit-policy set` accepts.";

/// Show the audit policy
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ShowArgs {}

#[derive(Serialize)]
pub(super) struct Shown(AuditPolicyShown);

pub(super) fn execute(globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "audit-policy show", async |client| client.audit_policy().await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.audit_policy.show/v1";

    fn data(&self) -> String {
        self.0.text.clone()
    }

    fn talk(&self) -> Vec<Remark> {
        match &self.0.advisories {
            Some(list) => {
                vec![Remark::Note(format!("{} advisories, complete up to {}", list.advisories, list.date))]
            }
            None => vec![Remark::Next(
                "no list of known-vulnerable dependencies; import one with `palyra audit-policy advisories FILE`"
                    .into(),
            )],
        }
    }
}

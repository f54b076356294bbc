//! `palyra plugins grants`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::plugins::{GrantAuthority, GrantDerivation, GrantVerdict, PluginGrants, ToolGrants};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra plugins grants acme.notes";

/// Show the effective grants and who allowed or denied each
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct GrantsArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Shown(PluginGrants);

pub(super) fn execute(args: &GrantsArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "plugins grants", async |client| client.plugin_grants(&args.skill).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.plugins.grants/v1";

    fn data(&self) -> String {
        let Self(grants) = self;
        if grants.derivations.is_empty() {
            return "permissions: none\n".to_owned();
        }
        let opened =
            grants.allow_addresses.iter().map(|range| format!("address:{range}\n  allowed by the profile\n"));
        let tools = grants.tools.iter().map(tool);
        grants.derivations.iter().map(derivation).chain(opened).chain(tools).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        let steps = self.0.derivations.iter().filter_map(|one| one.steps.last());
        steps.filter_map(|step| step.remedy.clone()).map(Remark::Next).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.derivations.iter().map(|one| json!(one)).collect())
    }
}

/// Formats a tool with fewer grants than its skill.
fn tool(one: &ToolGrants) -> String {
    let grants = if one.grants.is_empty() { "nothing".to_owned() } else { one.grants.join(", ") };
    format!("tool {}\n  gets only  {}\n", one.tool_id, escape_untrusted(&grants))
}

fn derivation(one: &GrantDerivation) -> String {
    let mut text = format!("{}\n", escape_untrusted(&one.asked));
    for step in &one.steps {
        let by = match step.by {
            GrantAuthority::Manifest => "manifest",
            GrantAuthority::Tool => "tool",
            GrantAuthority::Consent => "consent",
            GrantAuthority::Profile => "profile",
            GrantAuthority::Policy => "policy",
        };
        let verdict = match step.verdict {
            GrantVerdict::Granted => "yes",
            GrantVerdict::Narrowed => "less",
            GrantVerdict::Refused => "no",
        };
        text.push_str(&format!("  {by:<8}  {verdict:<4}  {}\n", escape_untrusted(&step.reason)));
    }
    text
}

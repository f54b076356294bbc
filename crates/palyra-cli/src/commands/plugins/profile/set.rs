//! `palyra plugins profile set`.

use super::shown;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::plugins::{Profile, ProfileChange};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra plugins profile set acme.notes --grant fs-read:notes=/srv/notes
  palyra plugins profile set acme.fetch --only --grant 'http:GET https://api.example.com/*' --limit fuel=1000000";

/// Add grants, directories and limits to the profile
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct SetArgs {
    /// Skill id
    skill: String,

    /// Allow this grant, for example `channel:alerts`, `fs-read:NAME=DIR` or `address:CIDR` (repeatable)
    #[arg(long = "grant", value_name = "GRANT")]
    grants: Vec<String>,

    /// Allow only these grants
    #[arg(long)]
    only: bool,

    /// Limit, for example `fuel=1000000` (repeatable)
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    limits: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Changed(Profile);

pub(super) fn execute(args: &SetArgs, globals: &Globals) -> Result<Changed, CliError> {
    if args.grants.is_empty() && args.limits.is_empty() && !args.only {
        let hint = "add `--grant GRANT`, `--limit NAME=VALUE`, or `--only` to allow nothing";
        return Err(CliError::usage_with_hint("nothing to set", hint));
    }
    let change = ProfileChange { only: args.only, grants: args.grants.clone(), limits: args.limits.clone() };
    let changed = client::ask(globals, "plugins profile set", async |client| {
        client.set_profile(&args.skill, &change).await
    });
    changed.map(Changed)
}

impl Reply for Changed {
    const SCHEMA: &'static str = "palyra.plugins.profile.set/v1";

    fn data(&self) -> String {
        shown(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("palyra plugins grants {}", self.0.skill_id))]
    }
}

//! `palyra skills remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, counted, facts};
use crate::terminal::confirm_between;
use clap::{ArgAction, Args};
use palyra_api::skills::{RemoveQuery, RemovedSkill};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills remove acme.notes
  palyra skills remove acme.notes --keep-data";

const MORE: &str = "\
The publisher and last release of the id stay recorded, so that an older release cannot be installed later.";

/// Remove a skill with its consents and stored data
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RemoveArgs {
    /// Skill id
    id: String,

    /// Keep its stored data
    #[arg(long, action = ArgAction::SetTrue)]
    keep_data: bool,
}

#[derive(Serialize)]
pub(super) struct Removed(RemovedSkill);

pub(super) fn run(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let (id, query) = (&args.id, RemoveQuery { keep_data: args.keep_data });
    let data = if args.keep_data { "and keep" } else { "with" };
    let removed = client::ask(globals, "skills remove", async |client| {
        let info = client.skill(id).await?;
        let version = info.entry.record.current.manifest_text("version");
        confirm_between(globals, format!("Remove `{id}` {version} {data} what it stored?")).await?;
        Ok::<_, CliError>(client.remove_skill(id, query).await?)
    });
    removed.map(Removed)
}

impl super::Judged for Removed {}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.skills.remove/v1";

    fn data(&self) -> String {
        let stored = match self.0.forgotten_keys {
            None => "kept".to_owned(),
            Some(keys) => format!("deleted, {}", counted(keys, "key")),
        };
        facts(&[("removed", format!("{} {}", self.0.skill_id, self.0.version)), ("stored data", stored)])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!(
            "the id stays with publisher `{}`, and an older release cannot be installed",
            self.0.publisher
        ))]
    }
}

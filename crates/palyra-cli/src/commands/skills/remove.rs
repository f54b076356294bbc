//! `palyra skills remove`.

use super::installed_id;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::state;
use crate::terminal::confirm;
use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};
use palyra_common::env_vars::PALYRA_SKILLS_REMOVE_KEEP_DATA;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra skills remove acme.notes
  palyra skills remove acme.notes --keep-data";

const MORE: &str = "\
Who owns the id and how far its releases had come stays known, so that nothing older can come back.";

/// Take a skill out, with its consents and what it stored.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RemoveArgs {
    /// The skill
    id: String,

    /// Leave what it stored, for when it comes back
    #[arg(long, action = ArgAction::SetTrue)]
    #[arg(env = PALYRA_SKILLS_REMOVE_KEEP_DATA, hide_env_values = true, value_parser = FalseyValueParser::new())]
    keep_data: bool,
}

#[derive(Serialize)]
pub(super) struct Removed {
    skill_id: String,
    version: String,
    publisher: String,
    /// How many stored keys are gone; none when they were to be kept.
    forgotten_keys: Option<usize>,
}

pub(super) fn run(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let state = state::open(globals, "skills remove")?;
    let record = installed_id(&state, &args.id)?;
    let version = record.current.manifest.version.to_string();
    let data = if args.keep_data { "and keep" } else { "with" };
    confirm(globals, &format!("Remove `{}` {version} {data} what it stored?", args.id))?;
    state.remove(&args.id)?;
    let forgotten_keys = if args.keep_data { None } else { Some(state.forget_storage(&args.id)?) };
    state::finish(state)?;
    Ok(Removed { skill_id: args.id.clone(), version, publisher: record.publisher, forgotten_keys })
}

impl super::Judged for Removed {}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.skills.remove/v1";

    fn data(&self) -> String {
        let stored = match self.forgotten_keys {
            None => "kept".to_owned(),
            Some(keys) => format!("forgotten, {keys} keys"),
        };
        facts(&[("removed", format!("{} {}", self.skill_id, self.version)), ("stored data", stored)])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note(format!(
            "the id stays with publisher `{}`, and nothing older can come back",
            self.publisher
        ))]
    }
}

//! `palyra plugins config show`.

use super::shown;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::plugins::Config;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra plugins config show acme.weather";

/// Show every setting, its value and its origin
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Skill id
    skill: String,
}

#[derive(Serialize)]
pub(super) struct Shown(Config);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "plugins config show", async |client| client.config(&args.skill).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.plugins.config.show/v1";

    fn data(&self) -> String {
        shown(&self.0)
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.fields.iter().map(|field| json!(field)).collect())
    }
}

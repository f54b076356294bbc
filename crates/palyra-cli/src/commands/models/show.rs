//! `palyra models show`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::Reply;
use clap::Args;
use palyra_api::models::Model;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra models show gpt";

/// Show one model
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Name of the model
    model: String,
}

#[derive(Serialize)]
pub(super) struct Shown(Model);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "models show", async |client| client.model(&args.model).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.models.show/v1";

    fn data(&self) -> String {
        view::model(&self.0)
    }
}

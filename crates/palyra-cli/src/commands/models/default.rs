//! `palyra models default`.

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
  palyra models default gpt";

/// Set the default model
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct DefaultArgs {
    /// Name of the model
    model: String,
}

#[derive(Serialize)]
pub(super) struct Chosen(Model);

pub(super) fn execute(args: &DefaultArgs, globals: &Globals) -> Result<Chosen, CliError> {
    let choose = async |client: client::AnyClient| client.set_default_model(&args.model).await;
    client::ask(globals, "models default", choose).map(Chosen)
}

impl Reply for Chosen {
    const SCHEMA: &'static str = "palyra.models.default/v1";

    fn data(&self) -> String {
        view::model(&self.0)
    }
}

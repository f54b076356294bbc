//! `palyra models remove`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::models::Model;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra models remove gpt";

/// Remove a model; its key stays in the vault
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct RemoveArgs {
    /// Name of the model
    model: String,
}

#[derive(Serialize)]
pub(super) struct Removed {
    removed: Model,
}

pub(super) fn execute(args: &RemoveArgs, globals: &Globals) -> Result<Removed, CliError> {
    let remove = async |client: client::AnyClient| client.remove_model(&args.model).await;
    client::ask(globals, "models remove", remove).map(|removed| Removed { removed })
}

impl Reply for Removed {
    const SCHEMA: &'static str = "palyra.models.remove/v1";

    fn data(&self) -> String {
        facts(&[("removed", self.removed.name.clone())])
    }

    fn talk(&self) -> Vec<Remark> {
        let key = |key: &String| Remark::Next(format!("remove its key with `palyra vault remove {key}`"));
        self.removed.key.iter().map(key).collect()
    }
}

//! `palyra models list`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use clap::Args;
use palyra_api::models::{Model, ModelList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra models list";

/// List the models and the default one
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(ModelList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "models list", async |client| client.models().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.models.list/v1";

    fn data(&self) -> String {
        let row = |model: &Model| {
            let mark = if model.is_default { "default" } else { "" };
            [
                model.name.clone(),
                model.protocol.clone(),
                model.model.clone(),
                view::place(model),
                mark.to_owned(),
            ]
        };
        let rows: Vec<_> = self.0.models.iter().map(row).collect();
        table(["name", "protocol", "model", "provider", ""], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        match (self.0.models.is_empty(), &self.0.default) {
            (true, _) => vec![
                Remark::Note("no model is configured; the local router answers".into()),
                Remark::Next("palyra models add --help".into()),
            ],
            (false, None) => vec![Remark::Next("choose one with `palyra models default NAME`".into())],
            (false, Some(_)) => Vec::new(),
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.models.iter().map(|model| json!(model)).collect())
    }
}

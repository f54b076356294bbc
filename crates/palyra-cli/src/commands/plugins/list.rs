//! `palyra plugins list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, shapes, table};
use clap::Args;
use palyra_api::plugins::{PluginList, PluginSummary};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra plugins list";

/// List skills with their requested and effective grants
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(PluginList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "plugins list", async |client| client.plugins().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.plugins.list/v1";

    fn data(&self) -> String {
        let row = |plugin: &PluginSummary| {
            [
                plugin.skill_id.clone(),
                plugin.version.clone(),
                shapes::status(plugin.status).to_owned(),
                plugin.granted.len().to_string(),
                plugin.narrowed.to_string(),
                if plugin.profile { "set" } else { "" }.to_owned(),
                plugin.missing_settings.join(", "),
            ]
        };
        let rows: Vec<_> = self.0.plugins.iter().map(row).collect();
        table(["plugin", "version", "status", "granted", "narrowed", "profile", "missing settings"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.plugins.iter().find(|plugin| plugin.narrowed > 0) {
            Some(plugin) => vec![Remark::Next(format!("palyra plugins grants {}", plugin.skill_id))],
            None if self.0.plugins.is_empty() => vec![Remark::Note("no skills are installed".into())],
            None => Vec::new(),
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.plugins.iter().map(|plugin| json!(plugin)).collect())
    }
}

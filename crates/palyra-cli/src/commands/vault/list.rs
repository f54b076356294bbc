//! `palyra vault list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when_text};
use clap::Args;
use palyra_api::vault::{SecretEntry, SecretList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra vault list";

/// List the names of secrets
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(SecretList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "vault list", async |client| client.secrets().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.vault.list/v1";

    fn data(&self) -> String {
        let row = |entry: &SecretEntry| {
            [entry.secret.clone(), when_text(&entry.created), when_text(&entry.updated)]
        };
        table(["secret", "created", "updated"], &self.0.secrets.iter().map(row).collect::<Vec<_>>())
    }

    fn talk(&self) -> Vec<Remark> {
        let damaged = self.0.damaged.iter().cloned().map(Remark::Warning);
        let none = self.0.secrets.is_empty().then(|| {
            [
                Remark::Note("no secrets".into()),
                Remark::Next("store one with `palyra vault put global/NAME`".into()),
            ]
        });
        let protection = Remark::Note(self.0.protection.clone());
        damaged.chain(none.into_iter().flatten()).chain([protection]).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.secrets.iter().map(|secret| json!(secret)).collect())
    }
}

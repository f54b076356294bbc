//! `palyra keys list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when_text};
use clap::Args;
use palyra_api::keys::{KeyList, SigningKey};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra keys list";

/// List signing keys
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(KeyList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "keys list", async |client| client.keys().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.keys.list/v1";

    fn data(&self) -> String {
        let row = |key: &SigningKey| {
            [key.name.clone(), key.state.clone(), when_text(&key.created), key.key_id.clone()]
        };
        table(["name", "state", "created", "key id"], &self.0.keys.iter().map(row).collect::<Vec<_>>())
    }

    fn talk(&self) -> Vec<Remark> {
        let damaged = self.0.damaged.iter().cloned().map(Remark::Warning);
        let none = self.0.keys.is_empty().then(|| {
            [
                Remark::Note("no signing keys".into()),
                Remark::Next("create one with `palyra keys new NAME`".into()),
            ]
        });
        damaged.chain(none.into_iter().flatten()).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.keys.iter().map(|key| json!(key)).collect())
    }
}

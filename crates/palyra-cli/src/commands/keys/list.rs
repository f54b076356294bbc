//! `palyra keys list`.

use super::view::KeyView;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use crate::state;
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra keys list";

/// List the signing keys of this vault.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed {
    keys: Vec<KeyView>,
    /// Files that are not as they were written.
    damaged: Vec<String>,
}

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    let state = state::open(globals, "keys list")?;
    let list = state.vault().keys().list()?;
    let keys = list.keys.iter().map(KeyView::of).collect::<Result<_, _>>()?;
    Ok(Listed { keys, damaged: list.damaged.iter().map(|file| file.error.to_string()).collect() })
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.keys.list/v1";

    fn data(&self) -> String {
        let row =
            |key: &KeyView| [key.name.clone(), key.state.to_owned(), key.created.clone(), key.key_id.clone()];
        table(["name", "state", "created", "key id"], &self.keys.iter().map(row).collect::<Vec<_>>())
    }

    fn talk(&self) -> Vec<Remark> {
        let damaged = self.damaged.iter().cloned().map(Remark::Warning);
        let none = self.keys.is_empty().then(|| {
            [
                Remark::Note("there are no signing keys".into()),
                Remark::Next("make one with `palyra keys new NAME`".into()),
            ]
        });
        damaged.chain(none.into_iter().flatten()).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.keys.iter().map(|key| json!(key)).collect())
    }
}

//! `palyra vault list`.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use crate::state;
use clap::Args;
use palyra_vault::SecretInfo;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra vault list";

/// List the names of the secrets; no value is opened.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed {
    secrets: Vec<SecretView>,
    damaged: Vec<String>,
    device_key: &'static str,
    protection: &'static str,
}

#[derive(Serialize)]
struct SecretView {
    secret: String,
    created: String,
    updated: String,
}

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    let state = state::open(globals, "vault list")?;
    let list = state.vault().secrets().list()?;
    let protection = state.vault().describe();
    let view = |info: &SecretInfo| SecretView {
        secret: info.reference.to_string(),
        created: when(info.created_ms),
        updated: when(info.updated_ms),
    };
    Ok(Listed {
        secrets: list.secrets.iter().map(view).collect(),
        damaged: list.damaged.iter().map(|file| file.error.to_string()).collect(),
        device_key: protection.name(),
        protection: protection.describe(),
    })
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.vault.list/v1";

    fn data(&self) -> String {
        let row =
            |secret: &SecretView| [secret.secret.clone(), secret.created.clone(), secret.updated.clone()];
        table(["secret", "created", "updated"], &self.secrets.iter().map(row).collect::<Vec<_>>())
    }

    fn talk(&self) -> Vec<Remark> {
        let damaged = self.damaged.iter().cloned().map(Remark::Warning);
        let none = self.secrets.is_empty().then(|| {
            [
                Remark::Note("there are no secrets".into()),
                Remark::Next("keep one with `palyra vault put global/NAME`".into()),
            ]
        });
        let protection = Remark::Note(self.protection.to_owned());
        damaged.chain(none.into_iter().flatten()).chain([protection]).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.secrets.iter().map(|secret| json!(secret)).collect())
    }
}

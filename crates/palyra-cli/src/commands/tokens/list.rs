//! `palyra tokens list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::tokens::{Token, TokenList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra tokens list";

/// List tokens with their scopes and expiry
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(TokenList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "tokens list", async |client| client.tokens().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.tokens.list/v1";

    fn data(&self) -> String {
        let row = |token: &Token| {
            let until = match (token.expires_ms, token.expired) {
                (None, _) => "never".to_owned(),
                (Some(at), true) => format!("{} (expired)", when(at)),
                (Some(at), false) => when(at),
            };
            [token.name.clone(), token.scope_names(), when(token.created_ms), until]
        };
        let rows: Vec<_> = self.0.tokens.iter().map(row).collect();
        table(["token", "scopes", "created", "expires"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.tokens.is_empty() {
            vec![
                Remark::Note("no tokens except the owner's".into()),
                Remark::Next("palyra tokens add NAME --scope read --scope invoke".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.tokens.iter().map(|token| json!(token)).collect())
    }
}

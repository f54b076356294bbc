//! `palyra console sessions list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use clap::Args;
use palyra_api::console::{ConsoleSession, ConsoleSessionList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra console sessions list";

/// List the browser sessions of the console
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(ConsoleSessionList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::stay(globals, async |client| client.console_sessions().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.console.sessions.list/v1";

    fn data(&self) -> String {
        let row = |session: &ConsoleSession| {
            let ConsoleSession { id, user_agent, created_at, last_used_at, idle_expires_at, .. } = session;
            [id, created_at, last_used_at, idle_expires_at, user_agent].map(String::clone)
        };
        let rows: Vec<_> = self.0.sessions.iter().map(row).collect();
        table(["session", "signed in", "used", "until", "browser"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.sessions.is_empty() {
            vec![Remark::Note("no browser is signed in".into()), Remark::Next("palyra console open".into())]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.sessions.iter().map(|session| json!(session)).collect())
    }
}

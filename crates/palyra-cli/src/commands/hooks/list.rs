//! `palyra hooks list`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, counted, table};
use clap::Args;
use palyra_api::hooks::{HookBinding, HookList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra hooks list";

/// List applied bindings and unapplied edits of `hooks/bindings.json`
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(HookList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "hooks list", async |client| client.hooks().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.hooks.list/v1";

    fn data(&self) -> String {
        let row = |binding: &HookBinding| {
            let trouble = match (&binding.problem, binding.dead_letters) {
                (Some(_), _) => "cannot run".to_owned(),
                (None, 0) => String::new(),
                (None, letters) => counted(letters, "dead letter"),
            };
            [
                binding.id.clone(),
                binding.event.clone(),
                binding.plugin.clone(),
                binding.hook.clone(),
                view::status(binding),
                trouble,
            ]
        };
        let rows: Vec<_> = self.0.bindings.iter().map(row).collect();
        table(["binding", "event", "plugin", "hook", "status", "problem"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let mut remarks = view::file(&self.0.file);
        if self.0.bindings.is_empty() {
            remarks.push(Remark::Note("no hook bindings".into()));
            remarks.push(Remark::Next("palyra hooks bind --event EVENT --plugin SKILL".into()));
        }
        remarks
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.bindings.iter().map(|binding| json!(binding)).collect())
    }
}

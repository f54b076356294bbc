//! `palyra tools list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::tools::ToolList;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra tools list";

/// List the tools of installed skills
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(ToolList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "tools list", async |client| client.tools().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.tools.list/v1";

    fn data(&self) -> String {
        super::rows(&self.0.tools)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.tools.is_empty() {
            vec![
                Remark::Note("no tools are installed".into()),
                Remark::Next("palyra skills install FILE --allow-tofu".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.tools.iter().map(|tool| json!(tool)).collect())
    }
}

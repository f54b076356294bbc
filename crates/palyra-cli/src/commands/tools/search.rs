//! `palyra tools search`.

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
  palyra tools search count words";

/// Search tools by description, best match first
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct SearchArgs {
    /// Words to search for
    #[arg(required = true)]
    words: Vec<String>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    count: u16,
}

#[derive(Serialize)]
pub(super) struct Found(ToolList);

pub(super) fn execute(args: &SearchArgs, globals: &Globals) -> Result<Found, CliError> {
    let words = args.words.join(" ");
    client::ask(globals, "tools search", async |client| client.search_tools(&words, args.count).await)
        .map(Found)
}

impl Reply for Found {
    const SCHEMA: &'static str = "palyra.tools.search/v1";

    fn data(&self) -> String {
        super::rows(&self.0.tools)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.tools.is_empty() {
            vec![Remark::Note("no tools match".into()), Remark::Next("palyra tools list".into())]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.tools.iter().map(|tool| json!(tool)).collect())
    }
}

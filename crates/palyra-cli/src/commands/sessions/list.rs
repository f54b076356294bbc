//! `palyra sessions list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::sessions::{Session, SessionList, SessionQuery};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra sessions list
  palyra sessions list --search words --limit 5";

/// List sessions, most recently active first
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {
    /// Text to find in the title, ignoring case
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,

    /// Show only archived sessions
    #[arg(long)]
    archived: bool,

    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Only sessions last active before this one, to continue an earlier list
    #[arg(long, value_name = "ID")]
    before: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Listed(SessionList);

pub(super) fn execute(args: &ListArgs, globals: &Globals) -> Result<Listed, CliError> {
    let query = SessionQuery {
        search: args.search.clone(),
        archived: args.archived,
        before: args.before.clone(),
        limit: Some(args.limit),
    };
    client::ask(globals, "sessions list", async |client| client.sessions(&query).await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.sessions.list/v1";

    fn data(&self) -> String {
        let row = |session: &Session| {
            let active = if session.active_run.is_some() { "waiting" } else { "" };
            [
                session.session_id.clone(),
                when(session.last_active_ms),
                active.to_owned(),
                session.title.clone(),
            ]
        };
        let rows: Vec<_> = self.0.sessions.iter().map(row).collect();
        table(["session", "last active", "run", "title"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let none = self.0.sessions.is_empty().then(|| Remark::Note("no sessions match".into()));
        let more = self.0.next.as_ref().map(|id| Remark::Next(format!("more results: add `--before {id}`")));
        none.into_iter().chain(more).collect()
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.sessions.iter().map(|session| json!(session)).collect())
    }
}

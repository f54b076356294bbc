//! `palyra sessions export`.

use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Reply, compact_json};
use clap::Args;
use palyra_api::ClientError;
use palyra_api::sessions::{AgentRun, Session, SessionEvent, Surface};
use palyra_common::JsonText;
use serde::Serialize;
use serde_json::json;

const EXAMPLE: &str = "\
Example:
  palyra sessions export ses_0123456789abcdef0123456789abcdef > session.json";

/// Export a session with its whole history as JSON
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ExportArgs {
    /// Session id
    session: String,
}

#[derive(Serialize)]
pub(super) struct Exported {
    session: Session,
    runs: Vec<AgentRun>,
    surfaces: Vec<Surface>,
    events: Vec<SessionEvent>,
}

pub(super) fn execute(args: &ExportArgs, globals: &Globals) -> Result<Exported, CliError> {
    client::ask(globals, "sessions export", async |client| {
        let session = client.session(&args.session).await?;
        let (mut runs, mut before) = (Vec::new(), None);
        loop {
            let page = client.agent_runs(&args.session, before.as_deref()).await?;
            runs.extend(page.runs);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        let surfaces = client.surfaces(&args.session).await?.surfaces;
        let events = history(&client, &args.session).await?;
        Ok::<_, ClientError>(Exported { session, runs, surfaces, events })
    })
}

/// Returns every stored event of a session.
pub(super) async fn history(client: &AnyClient, session_id: &str) -> Result<Vec<SessionEvent>, ClientError> {
    let (mut events, mut after) = (Vec::new(), None);
    loop {
        let page = client.session_history(session_id, after).await?;
        events.extend(page.events);
        after = page.next;
        if after.is_none() {
            return Ok(events);
        }
    }
}

impl Reply for Exported {
    const SCHEMA: &'static str = "palyra.sessions.export/v1";

    fn data(&self) -> String {
        compact_json(&JsonText::from(&json!(self))) + "\n"
    }
}

//! `palyra sessions show`.

use super::export::history;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, when};
use clap::Args;
use palyra_api::ClientError;
use palyra_api::sessions::{MessageRole, Session, SessionEvent, SessionEventBody};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra sessions show ses_0123456789abcdef0123456789abcdef";

/// Show a session and its messages
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Session id
    session: String,
}

#[derive(Serialize)]
pub(super) struct Shown {
    session: Session,
    events: Vec<SessionEvent>,
}

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "sessions show", async |client| {
        let session = client.session(&args.session).await?;
        let events = history(&client, &args.session).await?;
        Ok::<_, ClientError>(Shown { session, events })
    })
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.sessions.show/v1";

    fn data(&self) -> String {
        let Self { session, events } = self;
        let labels = [("private", session.labels.private), ("untrusted", session.labels.untrusted)];
        let labels: Vec<&str> = labels.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect();
        let mut text = facts(&[
            ("session", session.session_id.clone()),
            ("title", session.title.clone()),
            ("owner", session.owner.clone()),
            ("created", when(session.created_ms)),
            ("last active", when(session.last_active_ms)),
            ("labels", if labels.is_empty() { "none".to_owned() } else { labels.join(", ") }),
            ("active run", session.active_run.clone().unwrap_or_else(|| "none".to_owned())),
        ]);
        text.push('\n');
        text.extend(events.iter().filter_map(line));
        text
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("continue with `palyra chat --session {}`", self.session.session_id))]
    }
}

fn line(event: &SessionEvent) -> Option<String> {
    Some(match &event.body {
        SessionEventBody::MessageCompleted { role, text, .. } => {
            let who = if *role == MessageRole::User { "you" } else { "agent" };
            format!("{who}: {}\n", escape_untrusted(text))
        }
        SessionEventBody::ToolFinished { tool_id, output, error, .. } => {
            let result =
                output.as_ref().or(error.as_ref()).map(|text| escape_untrusted(text)).unwrap_or_default();
            format!("{tool_id}: {result}\n")
        }
        SessionEventBody::RunFinished { status, reason: Some(reason) } => {
            format!("run {}: {}\n", status.wire_name(), escape_untrusted(reason))
        }
        _ => return None,
    })
}

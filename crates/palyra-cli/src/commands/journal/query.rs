//! `palyra journal query`.

use super::events;
use super::time::{self, Instant};
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::{ArgAction, Args};
use palyra_api::events::Event;
use palyra_api::journal::{JournalPage, JournalQuery, TreeHead};
use palyra_daemon::problem::closest;
use palyra_state::journal::EventKind;
use serde::Serialize;
use serde_json::Value;

const EXAMPLE: &str = "\
Example:
  palyra journal query --kind trust:allowed --kind trust:blocked --since 7d
  palyra journal query --skill acme.echo --newest-first --limit 20
  palyra journal query --run run_0123456789abcdef0123 --proofs --json";

/// Search events by time, kind, skill or run
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct QueryArgs {
    /// Start time: `2026-01-31T12:00:00Z`, `2026-01-31`, or an age such as `2h`
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    since: Option<Instant>,

    /// End time, exclusive
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    until: Option<Instant>,

    /// Event kind, for example `skill:installed` (repeatable)
    #[arg(long = "kind", value_name = "KIND", value_parser = parse_kind)]
    kinds: Vec<EventKind>,

    /// Skill id
    #[arg(long, value_name = "ID")]
    skill: Option<String>,

    /// Run id
    #[arg(long, value_name = "ID")]
    run: Option<String>,

    /// First sequence number, to continue an earlier search
    #[arg(long, value_name = "SEQUENCE", conflicts_with = "newest_first")]
    from: Option<u64>,

    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Show the newest first
    #[arg(long, action = ArgAction::SetTrue)]
    newest_first: bool,

    /// Include and check an inclusion proof for each event
    #[arg(long, action = ArgAction::SetTrue)]
    proofs: bool,
}

#[derive(Serialize)]
pub(super) struct Found {
    #[serde(serialize_with = "events::as_objects")]
    events: Vec<Event>,
    head: TreeHead,
    /// Number of oldest events that are in segment files and not searched.
    archived: u64,
    /// Start of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_from: Option<u64>,
}

pub(super) fn execute(args: &QueryArgs, globals: &Globals) -> Result<Found, CliError> {
    let query = JournalQuery {
        from: args.from,
        since_ms: args.since.map(|time| time.0),
        until_ms: args.until.map(|time| time.0),
        kinds: args.kinds.iter().map(ToString::to_string).collect(),
        skill: args.skill.clone(),
        run: args.run.clone(),
        limit: Some(args.limit),
        newest_first: args.newest_first,
        proofs: args.proofs,
        ..JournalQuery::default()
    };
    let find = async |client: AnyClient| client.journal(&query).await;
    let JournalPage { events, head, archived, next_from, .. } = client::ask(globals, "journal query", find)?;
    Ok(Found { events, head, archived, next_from })
}

fn parse_kind(text: &str) -> Result<EventKind, String> {
    let known: Vec<String> = EventKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    text.parse().map_err(|_| match closest(text, &known) {
        Some(kind) => format!("unknown event kind; did you mean `{kind}`?"),
        None => format!("unknown event kind; choose from `{}`", known.join("`, `")),
    })
}

impl Reply for Found {
    const SCHEMA: &'static str = "palyra.journal.query/v1";

    fn data(&self) -> String {
        self.events.iter().map(events::line).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        if self.events.is_empty() {
            remarks.push(Remark::Note("no events match".into()));
            remarks.push(Remark::Next("see the latest with `palyra journal tail`".into()));
        }
        if self.archived > 0 {
            remarks.push(Remark::Note(format!("the first {} events are in segment files", self.archived)));
        }
        if let Some(from) = self.next_from {
            remarks.push(Remark::Next(format!("more results: add `--from {from}`")));
        }
        remarks
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.events.iter().map(events::object).collect())
    }
}

//! `palyra deliveries list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table, when};
use clap::Args;
use palyra_api::deliveries::{Lane, LaneKind, LaneList};
use palyra_common::redact::escape_untrusted;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra deliveries list";

/// List hooks and channels with their delivery status
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(LaneList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "deliveries list", async |client| client.deliveries().await).map(Listed)
}

/// Returns `hook` or `channel`.
pub(super) fn kind(kind: LaneKind) -> &'static str {
    match kind {
        LaneKind::Hook => "hook",
        LaneKind::Channel => "channel",
    }
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.deliveries.list/v1";

    fn data(&self) -> String {
        let row = |lane: &Lane| {
            let cursor = lane.cursor.as_ref();
            [
                kind(lane.kind).to_owned(),
                lane.name.clone(),
                escape_untrusted(&lane.to),
                cursor.map_or(0, |cursor| cursor.delivered).to_string(),
                lane.dead_letters.to_string(),
                cursor.and_then(|cursor| cursor.retry_at_ms).map(when).unwrap_or_default(),
                cursor.and_then(|cursor| cursor.error.as_deref()).map(escape_untrusted).unwrap_or_default(),
            ]
        };
        let rows: Vec<_> = self.0.lanes.iter().map(row).collect();
        table(["kind", "name", "to", "delivered", "dead letters", "next attempt", "error"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        let lanes = &self.0.lanes;
        match lanes.iter().any(|lane| lane.dead_letters > 0) {
            true => vec![Remark::Next("palyra deliveries dead-letters list".into())],
            false if lanes.is_empty() => vec![
                Remark::Note(
                    "no deliveries: no hook observes events, and no channel has a file or webhook".into(),
                ),
                Remark::Next("palyra hooks bind --event EVENT --plugin SKILL".into()),
                Remark::Next("palyra channels add NAME --to file --path FILE".into()),
            ],
            false => Vec::new(),
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.lanes.iter().map(|lane| json!(lane)).collect())
    }
}

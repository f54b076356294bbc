//! `palyra channels list`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use clap::Args;
use palyra_api::channels::{Channel, ChannelList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra channels list";

/// List channels with their delivery status
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(ChannelList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "channels list", async |client| client.channels().await).map(Listed)
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.channels.list/v1";

    fn data(&self) -> String {
        let row = |channel: &Channel| {
            let cursor = channel.cursor.as_ref();
            let trouble = match (cursor.and_then(|cursor| cursor.error.as_ref()), channel.dead_letters.len())
            {
                (Some(_), _) => "waiting to retry".to_owned(),
                (None, 0) => String::new(),
                (None, _) => "has dead letters".to_owned(),
            };
            let delivered = cursor.map(|cursor| cursor.delivered.to_string()).unwrap_or_default();
            [channel.name.clone(), view::target(channel), delivered, trouble]
        };
        let rows: Vec<_> = self.0.channels.iter().map(row).collect();
        table(["channel", "to", "delivered", "problem"], &rows)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.channels.is_empty() {
            vec![
                Remark::Note("no channels".into()),
                Remark::Next("palyra channels add NAME --to console".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.channels.iter().map(|channel| json!(channel)).collect())
    }
}

//! `palyra trust list`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use clap::Args;
use palyra_api::trust::{Builder, Feed, Publisher, Revocation, TrustList};
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra trust list";

/// List trusted and blocked publishers, and revocations
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed(TrustList);

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    client::ask(globals, "trust list", async |client| client.trust().await).map(Listed)
}

impl Listed {
    fn sections(&self) -> Vec<String> {
        let publisher = |publisher: &Publisher| {
            let epoch = publisher.epoch.map_or_else(|| "-".to_owned(), |epoch| epoch.to_string());
            let keys: Vec<&str> = publisher.keys.iter().map(|key| key.key_id.as_str()).collect();
            let keys_or_block = publisher.blocked.clone().unwrap_or_else(|| keys.join(", "));
            [publisher.publisher.clone(), publisher.mode.wire_name().to_owned(), epoch, keys_or_block]
        };
        let feed = |feed: &Feed| {
            let last = feed.last_number.map_or_else(|| "-".to_owned(), |number| number.to_string());
            [
                feed.feed.clone(),
                last,
                feed.keys.iter().map(|key| key.key_id.as_str()).collect::<Vec<_>>().join(", "),
            ]
        };
        let builder =
            |builder: &Builder| [builder.builder.clone(), builder.level.to_string(), builder.key_id.clone()];
        let revocation = |gone: &Revocation| {
            [gone.target.clone(), gone.scope.clone(), gone.source.clone(), gone.reason.clone()]
        };
        let publishers: Vec<_> = self.0.publishers.iter().map(publisher).collect();
        let feeds: Vec<_> = self.0.feeds.iter().map(feed).collect();
        let builders: Vec<_> = self.0.builders.iter().map(builder).collect();
        let revocations: Vec<_> = self.0.revocations.iter().map(revocation).collect();
        let sections = [
            table(["publisher", "mode", "epoch", "keys"], &publishers),
            table(["feed", "list", "keys"], &feeds),
            table(["builder", "level", "key"], &builders),
            table(["revoked", "where", "by", "reason"], &revocations),
        ];
        sections.into_iter().filter(|section| !section.is_empty()).collect()
    }
}

impl Reply for Listed {
    const SCHEMA: &'static str = "palyra.trust.list/v1";

    fn data(&self) -> String {
        self.sections().join("\n")
    }

    fn talk(&self) -> Vec<Remark> {
        if self.sections().is_empty() {
            vec![
                Remark::Note("no publishers are trusted or blocked".into()),
                Remark::Next("trust a publisher with `palyra trust allow PUBLISHER KEY`".into()),
            ]
        } else {
            Vec::new()
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.0.publishers.iter().map(|publisher| json!(publisher)).collect())
    }
}

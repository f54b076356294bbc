//! `palyra trust list`.

use super::view::{FeedView, PublisherView, RevocationView};
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply, table};
use crate::state;
use clap::Args;
use palyra_skills::trust::BuilderKey;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra trust list";

/// List everybody who is believed or blocked, and what is revoked.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ListArgs {}

#[derive(Serialize)]
pub(super) struct Listed {
    generation: u64,
    publishers: Vec<PublisherView>,
    feeds: Vec<FeedView>,
    builders: Vec<BuilderView>,
    revocations: Vec<RevocationView>,
}

#[derive(Serialize)]
struct BuilderView {
    builder: String,
    key_id: String,
    level: u8,
}

pub(super) fn execute(globals: &Globals) -> Result<Listed, CliError> {
    let state = state::open(globals, "trust list")?;
    let view = state.view();
    let trust = view.trust();
    let builder = |builder: &BuilderKey| BuilderView {
        builder: builder.name.clone(),
        key_id: builder.key.key_id().to_string(),
        level: builder.level,
    };
    Ok(Listed {
        generation: view.generation(),
        publishers: trust.publishers().map(|(name, trust)| PublisherView::of(name, trust)).collect(),
        feeds: trust.feeds().map(|(name, feed)| FeedView::of(name, feed)).collect(),
        builders: trust.builders().map(builder).collect(),
        revocations: trust
            .revocations()
            .map(|(target, scope, revocation)| RevocationView::of(target, scope, revocation))
            .collect(),
    })
}

impl Listed {
    fn sections(&self) -> Vec<String> {
        let publisher = |publisher: &PublisherView| {
            let epoch = publisher.epoch.map_or_else(|| "-".to_owned(), |epoch| epoch.to_string());
            let keys: Vec<&str> = publisher.keys.iter().map(|key| key.key_id.as_str()).collect();
            let said = publisher.blocked.clone().unwrap_or_else(|| keys.join(", "));
            [publisher.publisher.clone(), publisher.mode.to_owned(), epoch, said]
        };
        let feed = |feed: &FeedView| {
            let last = feed.last_number.map_or_else(|| "-".to_owned(), |number| number.to_string());
            [
                feed.feed.clone(),
                last,
                feed.keys.iter().map(|key| key.key_id.as_str()).collect::<Vec<_>>().join(", "),
            ]
        };
        let builder = |builder: &BuilderView| {
            [builder.builder.clone(), builder.level.to_string(), builder.key_id.clone()]
        };
        let revocation = |gone: &RevocationView| {
            [gone.target.clone(), gone.scope.clone(), gone.source.clone(), gone.reason.clone()]
        };
        let publishers: Vec<_> = self.publishers.iter().map(publisher).collect();
        let feeds: Vec<_> = self.feeds.iter().map(feed).collect();
        let builders: Vec<_> = self.builders.iter().map(builder).collect();
        let revocations: Vec<_> = self.revocations.iter().map(revocation).collect();
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
        match self.sections().is_empty() {
            false => Vec::new(),
            true => vec![
                Remark::Note("nobody is believed or blocked".into()),
                Remark::Next("believe a publisher with `palyra trust allow PUBLISHER KEY`".into()),
            ],
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.publishers.iter().map(|publisher| json!(publisher)).collect())
    }
}

//! `palyra trust allow`: publishers, and with a flag revocation feeds and builders.

use super::view::key_set;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Reply, facts};
use crate::state;
use clap::Args;
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::PublisherKey;
use palyra_skills::trust::BuilderKey;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust allow acme ed25519-public:PUBLICKEY
  palyra trust allow acme ed25519-public:ONE ed25519-public:TWO --threshold 2
  palyra trust allow advisories ed25519-public:PUBLICKEY --feed";

const MORE: &str = "\
Get the key over another way than the skill: from the publisher's own page or in person. `palyra
keys export NAME --public` is how the publisher prints it.";

/// Believe a publisher's keys; or a revocation feed's, or a builder's.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct AllowArgs {
    /// The publisher, as in the first part of a skill id
    publisher: PublisherName,

    /// A public key; several may be given
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<PublisherKey>,

    /// How many of the keys must sign
    #[arg(long, default_value_t = 1, value_name = "N")]
    threshold: u32,

    /// Follow the revocation feed of this name instead
    #[arg(long, conflicts_with = "builder_level")]
    feed: bool,

    /// Believe the build provenance of the builder of this name, up to an SLSA level of 1 to 3, instead
    #[arg(long, value_name = "LEVEL", conflicts_with = "threshold")]
    builder_level: Option<u8>,
}

#[derive(Serialize)]
pub(super) struct Allowed {
    kind: &'static str,
    name: String,
    keys: Vec<String>,
    threshold: u32,
    /// Whether it was believed before.
    changed: bool,
}

pub(super) fn execute(args: &AllowArgs, globals: &Globals) -> Result<Allowed, CliError> {
    let name = args.publisher.as_str();
    let keys = key_set(&args.keys, args.threshold)?;
    let state = state::open(globals, "trust allow")?;
    let before = state.view().generation();
    let kind = match (args.feed, args.builder_level, args.keys.as_slice()) {
        (true, _, _) => {
            state.follow_feed(name, keys)?;
            "feed"
        }
        (false, Some(level), [key]) => {
            state.allow_builder(BuilderKey { name: name.to_owned(), key: *key, level })?;
            "builder"
        }
        (false, Some(_), _) => return Err(CliError::usage("a builder has one key")),
        (false, None, _) => {
            state.allow_publisher(name, keys)?;
            "publisher"
        }
    };
    let changed = state.view().generation() != before;
    state::finish(state)?;
    Ok(Allowed {
        kind,
        name: name.to_owned(),
        keys: args.keys.iter().map(|key| key.key_id().to_string()).collect(),
        threshold: args.threshold,
        changed,
    })
}

impl Reply for Allowed {
    const SCHEMA: &'static str = "palyra.trust.allow/v1";

    fn data(&self) -> String {
        let mut pairs = vec![(self.kind, self.name.clone())];
        pairs.extend(self.keys.iter().map(|key| ("key", key.clone())));
        if self.keys.len() > 1 {
            pairs.push(("must sign", format!("{} of {}", self.threshold, self.keys.len())));
        }
        pairs.push(("now", if self.changed { "believed" } else { "believed as before" }.to_owned()));
        facts(&pairs)
    }
}

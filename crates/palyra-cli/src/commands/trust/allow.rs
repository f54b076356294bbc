//! `palyra trust allow`: publishers, and with a flag revocation feeds and builders.

use super::view::keys_request;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::trust::{Allowed, BuilderRequest};
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::PublisherKey;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust allow acme ed25519-public:PUBLICKEY
  palyra trust allow acme ed25519-public:ONE ed25519-public:TWO --threshold 2
  palyra trust allow advisories ed25519-public:PUBLICKEY --feed";

const MORE: &str = "\
Get the key out of band, not with the skill: from the publisher's site or in person. The publisher prints it
with `palyra keys export NAME --public`.";

/// Trust the keys of a publisher, revocation feed or builder
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct AllowArgs {
    /// Publisher: the first part of a skill id
    publisher: PublisherName,

    /// Public key (repeatable)
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<PublisherKey>,

    /// Number of keys that must sign
    #[arg(long, default_value_t = 1, value_name = "N")]
    threshold: u32,

    /// Trust the revocation feed of this name instead
    #[arg(long, conflicts_with = "builder_level")]
    feed: bool,

    /// Trust the builder of this name instead, up to this SLSA level from 1 to 3
    #[arg(long, value_name = "LEVEL", conflicts_with = "threshold")]
    builder_level: Option<u8>,
}

#[derive(Serialize)]
pub(super) struct Believed(Allowed);

pub(super) fn execute(args: &AllowArgs, globals: &Globals) -> Result<Believed, CliError> {
    let name = args.publisher.as_str();
    let keys = keys_request(&args.keys, args.threshold);
    let builder = match (args.builder_level, args.keys.as_slice()) {
        (None, _) => None,
        (Some(level), [key]) => Some(BuilderRequest { key: key.to_string(), level }),
        (Some(_), _) => return Err(CliError::usage("a builder has exactly one key")),
    };
    let allow = async |client: AnyClient| match (args.feed, &builder) {
        (true, _) => client.follow_feed(name, &keys).await,
        (false, Some(builder)) => client.allow_builder(name, builder).await,
        (false, None) => client.allow_publisher(name, &keys).await,
    };
    client::ask(globals, "trust allow", allow).map(Believed)
}

impl Reply for Believed {
    const SCHEMA: &'static str = "palyra.trust.allow/v1";

    fn data(&self) -> String {
        let mut pairs = vec![(self.0.kind.as_str(), self.0.name.clone())];
        pairs.extend(self.0.keys.iter().map(|key| ("key", key.clone())));
        if self.0.keys.len() > 1 {
            pairs.push(("must sign", format!("{} of {}", self.0.threshold, self.0.keys.len())));
        }
        pairs.push(("now", if self.0.changed { "trusted" } else { "already trusted" }.to_owned()));
        facts(&pairs)
    }
}

//! `palyra trust repin`: pins other keys of a publisher without its signature, for keys that are lost.

use super::view::{keys_request, publisher_facts};
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::Reply;
use crate::terminal::confirm;
use clap::Args;
use palyra_api::trust::Publisher;
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::PublisherKey;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust repin acme ed25519-public:PUBLICKEY";

const MORE: &str = "\
A publisher that still has its keys signs a rotation, which `palyra trust apply` verifies. Repin only when the
publisher confirmed out of band that its keys are lost.";

/// Replace the trusted keys of a publisher without a rotation
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RepinArgs {
    /// Name of the publisher
    publisher: PublisherName,

    /// Public key (repeatable)
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<PublisherKey>,

    /// Number of keys that must sign
    #[arg(long, default_value_t = 1, value_name = "N")]
    threshold: u32,
}

#[derive(Serialize)]
pub(super) struct Repinned {
    #[serde(flatten)]
    publisher: Publisher,
}

pub(super) fn execute(args: &RepinArgs, globals: &Globals) -> Result<Repinned, CliError> {
    let name = args.publisher.as_str();
    let keys = keys_request(&args.keys, args.threshold);
    confirm(globals, &format!("Trust other keys of `{name}` without a statement signed by the old ones?"))?;
    let repin = async |client: AnyClient| client.repin_publisher(name, &keys).await;
    client::ask(globals, "trust repin", repin).map(|publisher| Repinned { publisher })
}

impl Reply for Repinned {
    const SCHEMA: &'static str = "palyra.trust.repin/v1";

    fn data(&self) -> String {
        publisher_facts(&self.publisher)
    }
}

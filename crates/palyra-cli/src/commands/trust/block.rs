//! `palyra trust block`.

use super::view::publisher_facts;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::trust::Publisher;
use palyra_skills::manifest::PublisherName;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust block acme --reason 'signed a skill that phones home'";

/// Block a publisher and stop its installed skills
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct BlockArgs {
    /// Name of the publisher
    publisher: PublisherName,

    /// Reason, recorded in the journal
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

#[derive(Serialize)]
pub(super) struct Blocked {
    #[serde(flatten)]
    publisher: Publisher,
}

pub(super) fn execute(args: &BlockArgs, globals: &Globals) -> Result<Blocked, CliError> {
    let block = async |client: AnyClient| client.block_publisher(args.publisher.as_str(), &args.reason).await;
    client::ask(globals, "trust block", block).map(|publisher| Blocked { publisher })
}

impl Reply for Blocked {
    const SCHEMA: &'static str = "palyra.trust.block/v1";

    fn data(&self) -> String {
        publisher_facts(&self.publisher)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("unblock it with `palyra trust unblock {}`", self.publisher.publisher))]
    }
}

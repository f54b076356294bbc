//! `palyra trust unblock`.

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
  palyra trust unblock acme";

/// Unblock a publisher; its skills stay quarantined until enabled
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct UnblockArgs {
    /// Name of the publisher
    publisher: PublisherName,
}

#[derive(Serialize)]
pub(super) struct Unblocked {
    #[serde(flatten)]
    publisher: Publisher,
}

pub(super) fn execute(args: &UnblockArgs, globals: &Globals) -> Result<Unblocked, CliError> {
    let unblock = async |client: AnyClient| client.unblock_publisher(args.publisher.as_str()).await;
    client::ask(globals, "trust unblock", unblock).map(|publisher| Unblocked { publisher })
}

impl Reply for Unblocked {
    const SCHEMA: &'static str = "palyra.trust.unblock/v1";

    fn data(&self) -> String {
        publisher_facts(&self.publisher)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note("skills that were quarantined stay so until you enable them".into())]
    }
}

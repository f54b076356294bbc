//! `palyra trust block`.

use super::view::PublisherView;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_common::env_vars::PALYRA_TRUST_BLOCK_REASON;
use palyra_skills::manifest::PublisherName;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust block acme --reason 'signed a skill that phones home'";

/// Accept nothing of a publisher, and stop what is installed of it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct BlockArgs {
    /// The publisher
    publisher: PublisherName,

    /// Why
    #[arg(long, value_name = "TEXT")]
    #[arg(env = PALYRA_TRUST_BLOCK_REASON, hide_env_values = true)]
    reason: String,
}

#[derive(Serialize)]
pub(super) struct Blocked {
    #[serde(flatten)]
    publisher: PublisherView,
}

pub(super) fn execute(args: &BlockArgs, globals: &Globals) -> Result<Blocked, CliError> {
    let state = state::open(globals, "trust block")?;
    state.block_publisher(args.publisher.as_str(), &args.reason)?;
    let publisher = PublisherView::now(&state, args.publisher.as_str());
    state::finish(state)?;
    Ok(Blocked { publisher })
}

impl Reply for Blocked {
    const SCHEMA: &'static str = "palyra.trust.block/v1";

    fn data(&self) -> String {
        self.publisher.facts()
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("end it with `palyra trust unblock {}`", self.publisher.publisher))]
    }
}

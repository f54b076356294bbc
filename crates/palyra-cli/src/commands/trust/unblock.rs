//! `palyra trust unblock`.

use super::view::PublisherView;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_skills::manifest::PublisherName;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra trust unblock acme";

/// End a block; what it stopped stays stopped until you enable it.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct UnblockArgs {
    /// The publisher
    publisher: PublisherName,
}

#[derive(Serialize)]
pub(super) struct Unblocked {
    #[serde(flatten)]
    publisher: PublisherView,
}

pub(super) fn execute(args: &UnblockArgs, globals: &Globals) -> Result<Unblocked, CliError> {
    let state = state::open(globals, "trust unblock")?;
    state.unblock_publisher(args.publisher.as_str())?;
    let publisher = PublisherView::now(&state, args.publisher.as_str());
    state::finish(state)?;
    Ok(Unblocked { publisher })
}

impl Reply for Unblocked {
    const SCHEMA: &'static str = "palyra.trust.unblock/v1";

    fn data(&self) -> String {
        self.publisher.facts()
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Note("skills that the block stopped stay stopped until you enable them".into())]
    }
}

//! `palyra journal checkpoint`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::journal::SignedCheckpoint;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra journal checkpoint > checkpoint.txt";

/// Sign the current journal and print the checkpoint
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct CheckpointArgs {}

#[derive(Serialize)]
pub(super) struct Signed(SignedCheckpoint);

pub(super) fn execute(globals: &Globals) -> Result<Signed, CliError> {
    client::ask(globals, "journal checkpoint", async |client| client.checkpoint().await).map(Signed)
}

impl Reply for Signed {
    const SCHEMA: &'static str = "palyra.journal.checkpoint/v1";

    fn data(&self) -> String {
        self.0.note.clone()
    }

    fn talk(&self) -> Vec<Remark> {
        let key = self.0.key.iter().map(|key| Remark::Note(format!("signed by {key}")));
        let next = Remark::Next(
            "store it on another machine; compare it later with `palyra journal verify --against \
            FILE`"
                .into(),
        );
        key.chain([next]).collect()
    }
}

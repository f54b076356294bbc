//! `palyra journal checkpoint`.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_state::journal::TreeHead;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra journal checkpoint > checkpoint.txt";

/// Sign the journal as it is now, and print the signed note.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct CheckpointArgs {}

#[derive(Serialize)]
pub(super) struct Signed {
    head: TreeHead,
    origin: String,
    /// Checks the signature.
    key: Option<String>,
    note: String,
}

pub(super) fn execute(globals: &Globals) -> Result<Signed, CliError> {
    let state = state::open(globals, "journal checkpoint")?;
    let checkpoint = state.journal().checkpoint().wait()?;
    let signed = Signed {
        head: checkpoint.head(),
        origin: checkpoint.origin().to_owned(),
        key: state.journal().key().map(ToString::to_string),
        note: checkpoint.note().to_owned(),
    };
    state::finish(state)?;
    Ok(signed)
}

impl Reply for Signed {
    const SCHEMA: &'static str = "palyra.journal.checkpoint/v1";

    fn data(&self) -> String {
        self.note.clone()
    }

    fn talk(&self) -> Vec<Remark> {
        let key = self.key.iter().map(|key| Remark::Note(format!("signed by {key}")));
        let next = Remark::Next(
            "keep it on another machine; `palyra journal verify --against FILE` compares".into(),
        );
        key.chain([next]).collect()
    }
}

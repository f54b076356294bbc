//! `palyra keys new`.

use super::view::KeyView;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_state::journal::{EventKind, NewEvent};
use serde::Serialize;
use serde_json::json;

const EXAMPLE: &str = "\
Example:
  palyra keys new release";

/// Make a signing key; its secret half stays in the vault.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct NewArgs {
    /// Its name in this vault: lower-case letters, digits, `.`, `_` and `-`
    name: String,
}

#[derive(Serialize)]
pub(super) struct Made {
    key: KeyView,
}

pub(super) fn execute(args: &NewArgs, globals: &Globals) -> Result<Made, CliError> {
    let state = state::open(globals, "keys new")?;
    let info = state.vault().keys().create(&args.name, state::now_ms())?;
    let event = NewEvent::new(EventKind::KeysCreated, state::now_ms()).subject(info.key_id());
    state::record(&state, event.details(json!({ "name": info.name })))?;
    state::finish(state)?;
    Ok(Made { key: KeyView::of(&info)? })
}

impl Reply for Made {
    const SCHEMA: &'static str = "palyra.keys.new/v1";

    fn data(&self) -> String {
        self.key.facts()
    }

    fn talk(&self) -> Vec<Remark> {
        let name = &self.key.name;
        vec![Remark::Next(format!("tell others the public half: `palyra keys export {name} --public`"))]
    }
}

//! Public facts about a key, and the passphrase of its file.

use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::output::facts;
use crate::terminal::Terminal;
use palyra_api::keys::SigningKey;
use palyra_vault::Passphrase;
use std::path::Path;

/// Formats a signing key without its secret half.
pub(super) fn key_facts(key: &SigningKey) -> String {
    facts(&[
        ("name", key.name.clone()),
        ("key id", key.key_id.clone()),
        ("public key", key.public_key.clone()),
        ("state", key.state.clone()),
        ("since", key.since.clone().unwrap_or_default()),
    ])
}

/// Reads the passphrase from a file or a prompt; `nobody` returns the error if there is neither.
pub(super) fn passphrase(
    path: Option<&Path>,
    globals: &Globals,
    nobody: impl FnOnce() -> CliError,
    ask: impl FnOnce(&mut Terminal) -> Result<Passphrase, CliError>,
) -> Result<Passphrase, CliError> {
    match path {
        Some(path) => Ok(Passphrase::from_file(path).map_err(FileRefusal::from)?),
        None => ask(&mut Terminal::of_person(globals).ok_or_else(nobody)?),
    }
}

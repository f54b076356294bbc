//! `palyra keys import`: from a typed, sealed key file and nothing else.

use super::view::KeyView;
use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::output::Reply;
use crate::standard_input::StandardInput;
use crate::state;
use crate::terminal::Terminal;
use clap::Args;
use palyra_state::journal::{EventKind, NewEvent};
use palyra_vault::{KeyFileType, Passphrase, key_file};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use zeroize::Zeroizing;

const EXAMPLE: &str = "\
Example:
  palyra keys import release --key-file release.key
  palyra keys import release --key-passphrase-file passphrase < release.key";

/// Take in a key that `palyra keys export` sealed; without a file it is read from standard input.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ImportArgs {
    /// Its name in this vault
    name: String,

    /// The sealed key file
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// The file with the passphrase of the key file; without one you are asked
    #[arg(long, value_name = "FILE")]
    key_passphrase_file: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Imported {
    key: KeyView,
}

pub(super) fn execute(args: &ImportArgs, globals: &Globals) -> Result<Imported, CliError> {
    let seed = read_seed(args, globals)?;
    let state = state::open(globals, "keys import")?;
    let info = state.vault().keys().import(&args.name, &seed, state::now_ms())?;
    let event = NewEvent::new(EventKind::KeysImported, state::now_ms()).subject(info.key_id());
    state::record(&state, event.details(json!({ "name": info.name })))?;
    state::finish(state)?;
    Ok(Imported { key: KeyView::of(&info)? })
}

fn read_seed(args: &ImportArgs, globals: &Globals) -> Result<Zeroizing<[u8; 32]>, CliError> {
    /// A sealed key has about 400 bytes.
    const MOST: u64 = 4096;
    let seed = match &args.key_file {
        Some(path) => key_file::read(path, KeyFileType::SigningKey, &passphrase(args, globals)?),
        None => {
            let (text, whole) = StandardInput::new(globals.no_input).read("keys import", MOST)?;
            let text = Zeroizing::new(text);
            if !whole {
                return Err(CliError::usage(format!(
                    "standard input has more than {MOST} bytes: it is not a key file"
                )));
            }
            key_file::decode(KeyFileType::SigningKey, &text, &passphrase(args, globals)?)
        }
    };
    Ok(seed.map_err(FileRefusal::from)?)
}

fn passphrase(args: &ImportArgs, globals: &Globals) -> Result<Passphrase, CliError> {
    if let Some(path) = &args.key_passphrase_file {
        return Ok(Passphrase::from_file(path).map_err(FileRefusal::from)?);
    }
    let nobody = || {
        CliError::usage_with_hint(
            "the key file is under a passphrase, and nobody can be asked for it",
            "give it with `--key-passphrase-file FILE`",
        )
    };
    Terminal::of_person(globals).ok_or_else(nobody)?.passphrase("passphrase of the key file")
}

impl Reply for Imported {
    const SCHEMA: &'static str = "palyra.keys.import/v1";

    fn data(&self) -> String {
        self.key.facts()
    }
}

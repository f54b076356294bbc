//! `palyra keys export`: the public half for everybody, or the secret half sealed under a passphrase.

use super::view::{KeyView, find};
use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::output::{Remark, Reply};
use crate::state;
use crate::terminal::Terminal;
use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};
use palyra_common::env_vars::PALYRA_KEYS_EXPORT_PUBLIC;
use palyra_state::journal::{EventKind, NewEvent};
use palyra_vault::{KdfCost, KeyFileType, Passphrase, key_file};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra keys export release --public
  palyra keys export release --key-file release.key --key-passphrase-file passphrase";

/// Write out the public half of a key, or the whole key sealed under a passphrase.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ExportArgs {
    /// The key
    name: String,

    /// Print the public half
    #[arg(long, required_unless_present = "key_file", conflicts_with = "key_file", action = ArgAction::SetTrue)]
    #[arg(env = PALYRA_KEYS_EXPORT_PUBLIC, hide_env_values = true, value_parser = FalseyValueParser::new())]
    public: bool,

    /// Seal the whole key into this new file
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// The file with the passphrase of the key file; without one you are asked
    #[arg(long, value_name = "FILE", requires = "key_file")]
    key_passphrase_file: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Exported {
    key: KeyView,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_file: Option<String>,
}

pub(super) fn execute(args: &ExportArgs, globals: &Globals) -> Result<Exported, CliError> {
    let state = state::open(globals, "keys export")?;
    let info = find(&state, &args.name)?;
    let exported = Exported {
        key: KeyView::of(&info)?,
        key_file: args.key_file.as_ref().map(|path| path.display().to_string()),
    };
    if let Some(path) = &args.key_file {
        let passphrase = new_passphrase(args, globals)?;
        let seed = state.vault().keys().seed(&args.name)?;
        key_file::write(path, KeyFileType::SigningKey, &seed, &passphrase, KdfCost::default())
            .map_err(FileRefusal::from)?;
        let event = NewEvent::new(EventKind::KeysExported, state::now_ms()).subject(info.key_id());
        state::record(&state, event.details(json!({ "name": info.name })))?;
        state::finish(state)?;
    }
    Ok(exported)
}

fn new_passphrase(args: &ExportArgs, globals: &Globals) -> Result<Passphrase, CliError> {
    if let Some(path) = &args.key_passphrase_file {
        return Ok(Passphrase::from_file(path).map_err(FileRefusal::from)?);
    }
    let nobody = || {
        CliError::usage_with_hint(
            "a passphrase for the key file is wanted, and nobody can be asked for one",
            "give it with `--key-passphrase-file FILE`; it must be a file that only you can read",
        )
    };
    Terminal::of_person(globals).ok_or_else(nobody)?.new_passphrase("passphrase of the key file")
}

impl Reply for Exported {
    const SCHEMA: &'static str = "palyra.keys.export/v1";

    fn data(&self) -> String {
        match self.key_file {
            None => format!("{}\n", self.key.public_key),
            Some(_) => String::new(),
        }
    }

    fn talk(&self) -> Vec<Remark> {
        match &self.key_file {
            None => vec![Remark::Note(format!("key id {}", self.key.key_id))],
            Some(path) => vec![
                Remark::Note(format!("`{}` is sealed in `{path}`", self.key.name)),
                Remark::Next(format!(
                    "take it in elsewhere with `palyra keys import {} --key-file FILE`",
                    self.key.name
                )),
            ],
        }
    }
}

//! The key that signs: from the vault, or from a typed key file; never from an argument or a variable.

use crate::cli::Globals;
use crate::error::CliError;
use crate::files::read_at_most;
use crate::state;
use crate::terminal::Terminal;
use clap::Args;
use palyra_skills::signing::SkillSigningKey;
use palyra_vault::{KeyFileType, Passphrase, key_file};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Longest key file; a real one has about 400 bytes.
const MAX_KEY_FILE_BYTES: u64 = 4_096;

/// A key comes from exactly one of these.
const SOURCES: [&str; 3] = ["signing_key_vault_ref", "signing_key_stdin", "signing_key_file"];

/// Where the signing key comes from.
#[derive(Args)]
#[command(next_help_heading = "Signing key")]
#[group(skip)]
#[command(group = clap::ArgGroup::new("signing_key").required(true).args(SOURCES))]
pub(super) struct SigningKeyArgs {
    /// A key of this state root's vault, by its name; see `palyra keys list`
    #[arg(long, value_name = "NAME")]
    signing_key_vault_ref: Option<String>,

    /// An encrypted key file on standard input
    #[arg(long)]
    signing_key_stdin: bool,

    /// An encrypted key file that only you can read
    #[arg(long, value_name = "FILE")]
    signing_key_file: Option<PathBuf>,

    /// The file with the passphrase of the key file; without it the terminal asks
    #[arg(long, value_name = "FILE", conflicts_with = "signing_key_vault_ref")]
    key_passphrase_file: Option<PathBuf>,
}

impl SigningKeyArgs {
    /// Opens the key.
    pub(super) fn open(&self, globals: &Globals) -> Result<SkillSigningKey, CliError> {
        let seed = match (&self.signing_key_vault_ref, &self.signing_key_file) {
            (Some(name), _) => state::open(globals, "skills package build")?.vault().keys().seed(name)?,
            (None, Some(path)) => {
                let passphrase = self.passphrase(globals)?;
                key_file::read(path, KeyFileType::SigningKey, &passphrase).map_err(refused)?
            }
            (None, None) => {
                let read = read_at_most(std::io::stdin().lock(), MAX_KEY_FILE_BYTES, MAX_KEY_FILE_BYTES);
                let (text, _) = read.map_err(CliError::io("standard input cannot be read"))?;
                let text = Zeroizing::new(text);
                key_file::decode(KeyFileType::SigningKey, &text, &self.passphrase(globals)?)
                    .map_err(refused)?
            }
        };
        Ok(SkillSigningKey::from_seed(&seed))
    }

    fn passphrase(&self, globals: &Globals) -> Result<Passphrase, CliError> {
        if let Some(path) = &self.key_passphrase_file {
            return Passphrase::from_file(path).map_err(|error| CliError::File(error.into()));
        }
        match Terminal::of_person(globals) {
            Some(mut terminal) => terminal.passphrase("passphrase of the signing key"),
            None => Err(CliError::usage_with_hint(
                "the key file is under a passphrase, and nobody can be asked for it",
                "give it with `--key-passphrase-file FILE`",
            )),
        }
    }
}

fn refused(error: palyra_vault::KeyFileError) -> CliError {
    CliError::File(error.into())
}

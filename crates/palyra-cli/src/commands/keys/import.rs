//! `palyra keys import`: imports a sealed key file.

use super::view::{key_facts, passphrase};
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::{CliError, FileRefusal};
use crate::output::Reply;
use crate::standard_input::StandardInput;
use clap::Args;
use palyra_api::SecretBytes;
use palyra_api::keys::{ImportKeyRequest, SigningKey};
use palyra_common::fs::{Directory, FsError};
use palyra_vault::KeyFileError;
use serde::Serialize;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Maximum bytes of a key file; a sealed key has about 400.
const MOST: u64 = 4_096;

const EXAMPLE: &str = "\
Example:
  palyra keys import release --key-file release.key
  palyra keys import release --key-passphrase-file passphrase < release.key";

/// Import a key that `palyra keys export` wrote
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ImportArgs {
    /// Name of the key in this vault
    name: String,

    /// Encrypted key file [default: standard input]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// File with the passphrase of the key file [default: prompt]
    #[arg(long, value_name = "FILE")]
    key_passphrase_file: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Imported {
    key: SigningKey,
}

pub(super) fn execute(args: &ImportArgs, globals: &Globals) -> Result<Imported, CliError> {
    let sealed = read(args, globals)?;
    let passphrase = passphrase(args.key_passphrase_file.as_deref(), globals, nobody, |terminal| {
        terminal.passphrase("passphrase of the key file")
    })?;
    let request = ImportKeyRequest {
        key_file: SecretBytes::new(&sealed),
        passphrase: SecretBytes::new(passphrase.expose()),
    };
    let import = async |client: AnyClient| client.import_key(&args.name, &request).await;
    client::ask(globals, "keys import", import).map(|key| Imported { key })
}

/// Reads the key file, which must be readable by its owner only, or standard input.
fn read(args: &ImportArgs, globals: &Globals) -> Result<Zeroizing<Vec<u8>>, CliError> {
    if let Some(path) = &args.key_file {
        let refused = |error: FsError| FileRefusal::from(KeyFileError::from(error));
        let (directory, name) = Directory::of_file(path).map_err(refused)?;
        let missing = || FsError::io("open", path, std::io::Error::from(std::io::ErrorKind::NotFound));
        let bytes = directory.read(&name, MOST).and_then(|bytes| bytes.ok_or_else(missing));
        return Ok(Zeroizing::new(bytes.map_err(refused)?));
    }
    let (text, whole) = StandardInput::new(globals.no_input).read("keys import", MOST)?;
    let text = Zeroizing::new(text);
    if whole {
        Ok(text)
    } else {
        Err(CliError::usage(format!("standard input has more than {MOST} bytes: it is not a key file")))
    }
}

fn nobody() -> CliError {
    CliError::usage_with_hint(
        "the key file needs a passphrase, and there is no terminal to ask for it",
        "pass it with `--key-passphrase-file FILE`",
    )
}

impl Reply for Imported {
    const SCHEMA: &'static str = "palyra.keys.import/v1";

    fn data(&self) -> String {
        key_facts(&self.key)
    }
}

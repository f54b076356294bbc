//! `palyra keys export`: exports the public half, or the secret half sealed with a passphrase.

use super::view::passphrase;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::{CliError, FileRefusal};
use crate::output::{Remark, Reply};
use clap::{ArgAction, Args};
use palyra_api::SecretBytes;
use palyra_api::keys::{SealKeyRequest, SigningKey};
use palyra_common::fs::{Directory, FsError};
use palyra_vault::KeyFileError;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra keys export release --public
  palyra keys export release --key-file release.key --key-passphrase-file passphrase";

/// Export a public key, or the key pair encrypted with a passphrase
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ExportArgs {
    /// Name of the key
    name: String,

    /// Print the public key
    #[arg(long, required_unless_present = "key_file", conflicts_with = "key_file", action = ArgAction::SetTrue)]
    public: bool,

    /// Write the encrypted key pair to this new file
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// File with the passphrase of the key file [default: prompt]
    #[arg(long, value_name = "FILE", requires = "key_file")]
    key_passphrase_file: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Exported {
    key: SigningKey,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_file: Option<String>,
}

pub(super) fn execute(args: &ExportArgs, globals: &Globals) -> Result<Exported, CliError> {
    let Some(path) = &args.key_file else {
        let show = async |client: AnyClient| client.key(&args.name).await;
        return client::ask(globals, "keys export", show).map(|key| Exported { key, key_file: None });
    };
    let place = PrivateFile::prepare(path).map_err(FileRefusal::from)?;
    let passphrase = passphrase(args.key_passphrase_file.as_deref(), globals, nobody, |terminal| {
        terminal.new_passphrase("passphrase of the key file")
    })?;
    let request = SealKeyRequest { passphrase: SecretBytes::new(passphrase.expose()) };
    let seal = async |client: AnyClient| client.seal_key(&args.name, &request).await;
    let sealed = client::ask(globals, "keys export", seal)?;
    place.write(sealed.key_file.expose()).map_err(FileRefusal::from)?;
    Ok(Exported { key: sealed.key, key_file: Some(path.display().to_string()) })
}

/// A new file that only its owner can read; it must not exist.
struct PrivateFile {
    directory: Directory,
    name: String,
}

impl PrivateFile {
    /// Checks the file before the user is asked for a passphrase.
    fn prepare(path: &Path) -> Result<Self, KeyFileError> {
        let (directory, name) = Directory::of_file(path)?;
        if directory.path().join(&name).symlink_metadata().is_ok() {
            return Err(FsError::Exists { path: directory.path().join(&name) }.into());
        }
        Ok(Self { directory, name })
    }

    fn write(&self, text: &str) -> Result<(), KeyFileError> {
        Ok(self.directory.write_new(&self.name, text.as_bytes())?)
    }
}

fn nobody() -> CliError {
    CliError::usage_with_hint(
        "a passphrase for the key file is required, and there is no terminal to ask for it",
        "pass it with `--key-passphrase-file FILE`, a file that only you can read",
    )
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
                Remark::Note(format!("`{}` was exported, encrypted, to `{path}`", self.key.name)),
                Remark::Next(format!(
                    "import it elsewhere with `palyra keys import {} --key-file FILE`",
                    self.key.name
                )),
            ],
        }
    }
}

//! `palyra init`.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, facts};
use crate::state;
use crate::terminal::Terminal;
use clap::{Args, ValueEnum};
use palyra_state::{State, StateOptions};
use palyra_vault::{KeySourceChoice, Passphrase};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLE: &str = "\
Example:
  palyra init --device-key file
  palyra init --device-key passphrase --passphrase-file /run/secrets/palyra";

const MORE: &str = "\
A state root holds what Palyra believes, installs, keeps secret and remembers. Everything in it
is sealed or authenticated under one device key. `palyra up` makes one too where there is none, and
`palyra restore` puts one back; no other command makes or replaces one.";

/// Make the state root, once.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct InitArgs {
    /// Where the device key is kept
    #[arg(long, value_enum, value_name = "PLACE", default_value_t)]
    device_key: DeviceKeyPlace,
}

/// Where the device key of a new state root is kept; there is no silent second choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceKeyPlace {
    /// In the operating system's keyring
    #[default]
    Keyring,
    /// In a private file of the state root, for machines without a keyring
    File,
    /// In a private file under a passphrase, which every command needs
    Passphrase,
}

#[derive(Serialize)]
struct Initialised {
    path: String,
    device_key: &'static str,
    protection: &'static str,
    detects_restored_copies: bool,
    /// Checks every checkpoint of this journal.
    journal_key: Option<String>,
}

/// Carries the command out.
pub(crate) fn run(args: &InitArgs, globals: &Globals) -> ExitCode {
    Printer::new(globals, false).finish(execute(args, globals))
}

fn execute(args: &InitArgs, globals: &Globals) -> Result<Initialised, CliError> {
    let state = make_root(globals, args.device_key, "init")?;
    let protection = state.vault().describe();
    let reply = Initialised {
        path: state.root().path().display().to_string(),
        device_key: protection.name(),
        protection: protection.describe(),
        detects_restored_copies: protection.detects_restored_copies(),
        journal_key: state.journal().key().map(ToString::to_string),
    };
    state::finish(state)?;
    Ok(reply)
}

/// Makes the state root, with its device key where somebody chose.
pub(crate) fn make_root(globals: &Globals, place: DeviceKeyPlace, command: &str) -> Result<State, CliError> {
    let key_source = match place {
        DeviceKeyPlace::Keyring => KeySourceChoice::OsKeyring,
        DeviceKeyPlace::File => KeySourceChoice::File,
        DeviceKeyPlace::Passphrase => KeySourceChoice::FileWithPassphrase(new_passphrase(globals)?),
    };
    let passphrase = match &key_source {
        KeySourceChoice::FileWithPassphrase(passphrase) => Some(Arc::new(passphrase.clone())),
        _ => None,
    };
    state::with_root(globals, command, |root, options| {
        let options = options.clone();
        root.init(&StateOptions { key_source: key_source.clone(), passphrase: passphrase.clone(), ..options })
    })
}

fn new_passphrase(globals: &Globals) -> Result<Passphrase, CliError> {
    if let Some(passphrase) = state::given_passphrase(globals)? {
        return Ok(passphrase);
    }
    let Some(mut terminal) = Terminal::of_person(globals) else {
        return Err(CliError::usage_with_hint(
            "a passphrase is wanted, and nobody can be asked for one",
            "give it with `--passphrase-file FILE`; it must be a file that only you can read",
        ));
    };
    terminal.new_passphrase("passphrase of the device key")
}

impl Reply for Initialised {
    const SCHEMA: &'static str = "palyra.init/v1";

    fn data(&self) -> String {
        facts(&[
            ("state root", self.path.clone()),
            ("device key", self.device_key.to_owned()),
            ("journal key", self.journal_key.clone().unwrap_or_default()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![
            Remark::Note(self.protection.to_owned()),
            Remark::Next("make a signing key with `palyra keys new NAME`, or keep a secret with `palyra vault put global/NAME`".into()),
        ]
    }
}

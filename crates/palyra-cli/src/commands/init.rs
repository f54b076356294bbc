//! `palyra init`.

use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Printer, Remark, Reply, facts};
use crate::state;
use crate::terminal::Terminal;
use clap::{Args, ValueEnum};
use palyra_api::Problem;
use palyra_common::{MIN_SECRET_BITS, is_weak_secret};
use palyra_daemon::ToProblem;
use palyra_state::{State, StateError, StateOptions};
use palyra_vault::{KeySourceChoice, Passphrase, VaultError, probe_keyring};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra init
  palyra init --device-key passphrase --passphrase-file /run/secrets/palyra";

const MORE: &str = "\
A state root holds trust, skills, secrets and the journal, encrypted or authenticated with one device key.
`palyra up` also creates one, and `palyra restore` restores one from a backup. A failed creation leaves nothing
behind.";

/// Maximum time for the keyring to respond to a probe.
const KEYRING_PROBE: Duration = Duration::from_secs(1);

/// Create the state root
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct InitArgs {
    /// Where the device key is stored
    #[arg(long, value_enum, value_name = "PLACE", default_value_t)]
    device_key: DeviceKeyPlace,
}

/// Where the device key of a new state root is kept. The choice is recorded in the state root: a keyring that does
/// not answer later is an error, never a reason to use something else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceKeyPlace {
    /// The operating system's keyring if it works within a second, else a private file
    #[default]
    Auto,
    /// The operating system's keyring
    Keyring,
    /// A private file of the state root
    File,
    /// A private file under a passphrase, which every command needs
    Passphrase,
}

impl DeviceKeyPlace {
    /// Returns the value on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Keyring => "keyring",
            Self::File => "file",
            Self::Passphrase => "passphrase",
        }
    }
}

#[derive(Serialize)]
struct Initialised {
    path: String,
    device_key: &'static str,
    protection: &'static str,
    detects_restored_copies: bool,
    /// Public key that verifies every checkpoint of this journal.
    journal_key: Option<String>,
}

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

/// Creates the state root, with its device key in the chosen storage.
pub(crate) fn make_root(globals: &Globals, place: DeviceKeyPlace, command: &str) -> Result<State, CliError> {
    let key_source = match place {
        DeviceKeyPlace::Auto if probe_keyring(KEYRING_PROBE).is_ok() => KeySourceChoice::OsKeyring,
        DeviceKeyPlace::Auto | DeviceKeyPlace::File => KeySourceChoice::File,
        DeviceKeyPlace::Keyring => KeySourceChoice::OsKeyring,
        DeviceKeyPlace::Passphrase => KeySourceChoice::FileWithPassphrase(strong_passphrase(globals)?),
    };
    let passphrase = match &key_source {
        KeySourceChoice::FileWithPassphrase(passphrase) => Some(Arc::new(passphrase.clone())),
        _ => None,
    };
    let made = state::with_root(globals, command, |root, options| {
        let options = options.clone();
        root.init(&StateOptions { key_source: key_source.clone(), passphrase: passphrase.clone(), ..options })
    });
    made.map_err(explained)
}

/// Adds hints that only apply when a state root is created.
fn explained(error: CliError) -> CliError {
    let CliError::State(cause) = &error else { return error };
    let hint = match cause {
        StateError::Vault(vault) if matches!(&**vault, VaultError::DeviceKey(_)) => {
            "keep the device key in a private file with `--device-key file`"
        }
        StateError::File(_) => "choose another directory with `--state-root DIR`",
        _ => return error,
    };
    let problem = cause.to_problem();
    // The hint to choose another place is more useful than those of the original problem.
    Problem { hints: vec![hint.into()], ..problem }.into()
}

/// Reads the passphrase of a new device key, and rejects a weak one.
fn strong_passphrase(globals: &Globals) -> Result<Passphrase, CliError> {
    let passphrase = new_passphrase(globals)?;
    if is_weak_secret(passphrase.expose()) {
        return Err(CliError::usage_with_hint(
            format!("the passphrase is too easy to guess: it has fewer than {MIN_SECRET_BITS} bits"),
            "use several random words",
        ));
    }
    Ok(passphrase)
}

fn new_passphrase(globals: &Globals) -> Result<Passphrase, CliError> {
    if let Some(passphrase) = state::given_passphrase(globals)? {
        return Ok(passphrase);
    }
    let Some(mut terminal) = Terminal::of_person(globals) else {
        return Err(CliError::usage_with_hint(
            "a passphrase is required, and there is no terminal to ask for it",
            "pass it with `--passphrase-file FILE`, a file that only you can read",
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
            Remark::Next("create a signing key with `palyra keys new NAME`, or store a secret with `palyra vault put global/NAME`".into()),
        ]
    }
}

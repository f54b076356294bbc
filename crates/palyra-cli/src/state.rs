//! The state root, owned by this process for one command.
//!
//! Opening waits for another owner, checks everything and fails closed. Only `palyra init`, `palyra up` and `palyra
//! restore` create a state root. A command that changed something ends with [`finish`]; one that only read drops the
//! state.

use crate::cli::Globals;
use crate::client::daemon_answers;
use crate::directories::Directories;
use crate::error::CliError;
use crate::output::Printer;
use crate::progress::with_progress_blocking;
use crate::terminal::Terminal;
use palyra_daemon::built_in::built_in_releases;
use palyra_state::{State, StateError, StateOptions, StateRoot};
use palyra_vault::{CREDENTIALS_DIRECTORY, DeviceKeyError, Passphrase, VaultError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Opens the state root; `command` names this process in "state in use" errors of others.
pub(crate) fn open(globals: &Globals, command: &str) -> Result<State, CliError> {
    with_root(globals, command, State::open)
}

/// Runs `work` with a root that is not open, for `init` and `repair`.
pub(crate) fn with_root<T>(
    globals: &Globals,
    command: &str,
    work: impl Fn(&StateRoot, &StateOptions) -> Result<T, StateError>,
) -> Result<T, CliError> {
    let root = root(globals)?;
    // A daemon keeps the lock, so waiting for it is useless; a one-shot command releases it soon.
    let wait = if daemon_answers(&root) { 0 } else { globals.lock_wait };
    let mut options = StateOptions {
        command: format!("palyra {command}"),
        wait: Duration::from_secs(wait),
        passphrase: given_passphrase(globals)?.map(Arc::new),
        built_in: built_in_releases(),
        ..StateOptions::default()
    };
    let attempt = |options: &StateOptions| {
        let terminal = Printer::new(globals, false).terminal();
        with_progress_blocking("waiting for the state root", terminal, || work(&root, options))
    };
    match attempt(&options) {
        Err(error) if needs_passphrase(&error) => {
            let Some(mut terminal) = Terminal::of_person(globals) else { return Err(error.into()) };
            options.passphrase = Some(Arc::new(terminal.passphrase("passphrase of the device key")?));
            Ok(attempt(&options)?)
        }
        outcome => Ok(outcome?),
    }
}

/// Returns the state root from `--state-root`, its variable, or the default `~/.palyra`.
pub(crate) fn root(globals: &Globals) -> Result<StateRoot, CliError> {
    let none = || {
        CliError::usage_with_hint(
            "cannot find a home directory for the state root",
            "set the state root with `--state-root DIR`",
        )
    };
    let path = match &globals.state_root {
        Some(path) => {
            std::path::absolute(path).map_err(|error| CliError::unusable_place("state root", path, &error))?
        }
        None => Directories::from_environment().state.ok_or_else(none)?,
    };
    Ok(StateRoot::new(path))
}

/// Returns the passphrase from a file or a credential, without a prompt.
pub(crate) fn given_passphrase(globals: &Globals) -> Result<Option<Passphrase>, CliError> {
    let credentials = std::env::var_os(CREDENTIALS_DIRECTORY);
    let given = Passphrase::given(globals.passphrase_file.as_deref(), credentials.as_deref().map(Path::new));
    given.map_err(|error| CliError::File(error.into()))
}

/// Closes the state after a change: signs a checkpoint and stores the journal's head in the vault.
pub(crate) fn finish(state: State) -> Result<(), CliError> {
    Ok(state.close()?)
}

fn needs_passphrase(error: &StateError) -> bool {
    let StateError::Vault(error) = error else { return false };
    matches!(&**error, VaultError::DeviceKey(DeviceKeyError::PassphraseNeeded { .. }))
}

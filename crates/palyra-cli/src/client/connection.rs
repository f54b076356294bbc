//! The connection to the daemon: its socket, a given URL, or this process.

use super::detached;
use crate::cli::Globals;
use crate::commands::run::default_sandbox;
use crate::error::CliError;
use crate::state;
use palyra_api::client::remote::{Place, Remote};
use palyra_api::{Transport, TransportError};
use palyra_common::fs::{Directory, ShortPath};
use palyra_daemon::access::OwnerToken;
use palyra_daemon::server::socket_path;
use palyra_daemon::{App, AppConfig, InProcess};
use palyra_state::{State, StateError, StateRoot};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

const MAX_TOKEN_BYTES: u64 = 4 << 10;

/// A connection to the daemon.
pub(super) enum Connection {
    /// Another process has the state open.
    Remote(Remote),
    /// This process owns the state and calls its own router.
    Own(Arc<App>, InProcess, Untouched),
}

/// Size of the journal when the state was opened, to detect changes.
pub(super) struct Untouched(u64);

impl Connection {
    /// Chooses the connection; the state is opened only if no other process owns it.
    pub(super) fn open(
        globals: &Globals,
        command: &str,
        sandbox: Option<AppConfig>,
    ) -> Result<Self, CliError> {
        if let Some(url) = &globals.url {
            return named(globals, url).map(Self::Remote);
        }
        let root = state::root(globals)?;
        if daemon_answers(&root) {
            return local(globals, &root).map(Self::Remote);
        }
        // Read first: an invalid token file must fail before the state is opened.
        let named = globals.token_file.as_deref().map(read_token).transpose()?;
        match state::open(globals, command) {
            // A daemon may have started while this process waited for the lock.
            Err(CliError::State(StateError::Busy { .. })) if daemon_answers(&root) => {
                local(globals, &root).map(Self::Remote)
            }
            opened => Self::own(opened?, sandbox, named.as_deref()),
        }
    }

    /// Returns a connection to a daemon in another process, which is started if none runs.
    pub(super) fn lasting(globals: &Globals) -> Result<Self, CliError> {
        if let Some(url) = &globals.url {
            return named(globals, url).map(Self::Remote);
        }
        let root = state::root(globals)?;
        if !daemon_answers(&root) {
            detached::start_temporary(globals, &root)?;
        }
        local(globals, &root).map(Self::Remote)
    }

    /// Opens the router in this process. A given token limits the command to its scopes, as with a daemon.
    fn own(state: State, sandbox: Option<AppConfig>, named: Option<&String>) -> Result<Self, CliError> {
        let config = sandbox.map_or_else(default_sandbox, Ok)?;
        let before = Untouched(state.journal().head().size);
        let app = App::new(state, config);
        let asking = match named {
            None => InProcess::new(&app),
            Some(token) => InProcess::under(&app, token)
                .map_err(|error| CliError::usage(format!("invalid token: {error}")))?,
        };
        Ok(Self::Own(app, asking, before))
    }

    pub(super) fn transport(&self) -> Arc<dyn Transport> {
        match self {
            Self::Remote(remote) => Arc::new(remote.clone()),
            Self::Own(_, asking, _) => Arc::new(asking.clone()),
        }
    }

    /// Closes the connection. An owner that changed the state shuts down cleanly first.
    pub(super) async fn close(self) -> Result<(), CliError> {
        let Self::Own(app, _, Untouched(before)) = self else { return Ok(()) };
        app.begin_stop();
        app.drained().await;
        if app.state().journal().head().size == before { Ok(()) } else { Ok(app.close().await?) }
    }
}

/// Returns whether a daemon that owns this state root accepts connections.
pub(crate) fn daemon_answers(root: &StateRoot) -> bool {
    let connected = ShortPath::of(&socket_path(root)).and_then(|short| UnixStream::connect(short.path()));
    connected.is_ok()
}

fn local(globals: &Globals, root: &StateRoot) -> Result<Remote, CliError> {
    let token = token(globals, root)?;
    Ok(Remote::new(Place::Socket(socket_path(root)), token))
}

fn named(globals: &Globals, url: &str) -> Result<Remote, CliError> {
    let place: Place = url.parse().map_err(|reason: palyra_api::client::remote::PlaceError| {
        CliError::from(TransportError::BadAddress { url: url.to_owned(), reason: reason.to_string() })
    })?;
    let token = token(globals, &state::root(globals)?)?;
    Ok(Remote::new(place, token))
}

/// Returns the given token, or else the owner token.
fn token(globals: &Globals, root: &StateRoot) -> Result<Option<Zeroizing<String>>, CliError> {
    if let Some(path) = &globals.token_file {
        return read_token(path).map(Some);
    }
    match OwnerToken::read(root) {
        Ok(token) => Ok(token.map(|token| token.expose().clone())),
        Err(_) if globals.url.is_some() => Ok(None),
        Err(error) => Err(CliError::usage(format!("cannot read the owner's token: {error}"))),
    }
}

fn read_token(path: &Path) -> Result<Zeroizing<String>, CliError> {
    let refused =
        |reason: String| CliError::usage(format!("cannot use the token file `{}`: {reason}", path.display()));
    let (directory, name) = Directory::of_file(path).map_err(|error| refused(error.to_string()))?;
    let bytes = directory.read(&name, MAX_TOKEN_BYTES).map_err(|error| refused(error.to_string()))?;
    let bytes = Zeroizing::new(bytes.ok_or_else(|| refused("no such file".into()))?);
    let text = std::str::from_utf8(&bytes).map_err(|_| refused("it is not UTF-8".into()))?;
    Ok(Zeroizing::new(text.trim().to_owned()))
}

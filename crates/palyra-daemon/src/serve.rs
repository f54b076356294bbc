//! Starts a daemon: flags, log, and the run from opening the state to a graceful stop.

mod args;
mod log_file;
mod logging;
mod signals;

pub use args::{BadDuration, ServeArgs, parse_duration};
pub use log_file::{MAX_LOG_BYTES, log_path, previous_log_path};
pub use logging::start_logging;

use std::sync::Arc;

use palyra_state::{State, StateError};

use palyra_common::deployment_profiles::ProfileRefusal;
use palyra_control_plane::SystemClock;

use crate::app::{App, AppConfig};
use crate::deliveries::DeliveryOptions;
use crate::routines;
use crate::server::{Endpoint, Server, ServerError};
use crate::traces;
use crate::upkeep::{EVERY, keep_up};

/// Reason why a daemon did not start or stop properly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The profile does not permit these flags.
    #[error(transparent)]
    Profile(#[from] ProfileRefusal),
    /// Logging cannot be set up.
    #[error("{0}")]
    Log(String),
    /// A listener cannot be created.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The state could not be closed.
    #[error(transparent)]
    State(#[from] StateError),
    /// Signal handlers cannot be installed.
    #[error("cannot install signal handlers: {0}")]
    Signals(std::io::Error),
}

/// Checks the flags of a daemon that can be checked without a state root.
///
/// A command that creates a state root calls this first, so that errors in the flags are reported before it exists.
pub async fn check_start(args: &ServeArgs) -> Result<(), ServeError> {
    args.check_profile()?;
    logging::filter(args).map_err(ServeError::Log)?;
    Ok(Server::check_bind(&args.config()).await?)
}

/// Serves an open state until a signal, a request or the idle timeout ends it; `announce` is called once it listens.
pub async fn serve(
    state: State,
    config: AppConfig,
    args: &ServeArgs,
    announce: impl FnOnce(&App, &Endpoint),
) -> Result<(), ServeError> {
    args.check_profile()?;
    allow_descriptors();
    traces::begin();
    let stop = signals::stop().map_err(ServeError::Signals)?;
    let app = App::new(state, config);
    let server = Server::bind(Arc::clone(&app), args.config()).await?;
    let Endpoint { url, grpc_url, socket, .. } = server.endpoint();
    tracing::info!(%url, grpc_url, socket = %socket.display(), "listening");
    announce(&app, server.endpoint());
    app.become_gateway(DeliveryOptions::default());
    let upkeep = tokio::spawn(keep_up(Arc::clone(&app), EVERY));
    let schedule = tokio::spawn(routines::schedule(Arc::clone(&app), Arc::new(SystemClock)));
    let served = server.run(stop).await;
    app.begin_stop();
    if let Err(error) = upkeep.await {
        tracing::error!(%error, "upkeep stopped");
    }
    if let Err(error) = schedule.await {
        tracing::error!(%error, "scheduler stopped");
    }
    traces::end().await;
    served?;
    tracing::info!("stopped");
    Ok(())
}

/// Raises the soft limit on descriptors to the hard limit: every listener may fill its connection table, and the state
/// needs descriptors as well.
fn allow_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "cannot raise the limit on open files");
    }
}

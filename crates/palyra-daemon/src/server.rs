//! Listeners: a Unix socket for the user of the daemon, TCP and gRPC for clients with a token.

mod connection;
mod endpoint;
mod error;
mod http2;
mod listeners;
mod paced_body;
mod table;
mod tls;
mod watched_stream;

pub(crate) use endpoint::RUN_FOLDER;
pub use endpoint::{Endpoint, socket_path};
pub use error::ServerError;
pub use tls::TlsFiles;

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use palyra_state::StateError;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::access::OwnerToken;
use crate::app::{App, until_stopping};
use crate::transport::connection_state::ConnectionState;
use crate::transport::grpc::grpc_router;
use crate::transport::http::router;
use connection::{ConnectionLimits, Incoming, Routers};
use listeners::{Listeners, TcpListeners};
use table::ConnectionTable;

/// Default TCP port.
pub const DEFAULT_PORT: u16 = 7437;

/// Maximum time for cancelled calls to end.
const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// Configuration of the listeners.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// TCP listen address; port 0 chooses a free port.
    pub listen: SocketAddr,
    /// The gRPC listen address; off by default.
    pub grpc_listen: Option<SocketAddr>,
    /// Additional host names under which the daemon may be addressed.
    pub allow_hosts: Vec<String>,
    /// Certificate and key; without them only loopback addresses are permitted.
    pub tls: Option<TlsFiles>,
    /// Maximum time for the head of a request, or a TLS handshake.
    pub header_timeout: Duration,
    /// Maximum time for a body to arrive.
    pub body_timeout: Duration,
    /// Number of rejected requests from one address before it is rate-limited.
    pub failure_burst: u32,
    /// Maximum number of open connections per listener.
    pub max_connections: usize,
    /// Time for which calls may continue after a stop began, before they are cancelled.
    pub grace: Duration,
    /// Stops the daemon after this time without a connection.
    pub idle_exit: Option<Duration>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT),
            grpc_listen: None,
            allow_hosts: Vec::new(),
            tls: None,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            failure_burst: 20,
            max_connections: 512,
            grace: Duration::from_secs(10),
            idle_exit: None,
        }
    }
}

/// A daemon with its listeners.
pub struct Server {
    app: Arc<App>,
    config: ServerConfig,
    listeners: Listeners,
    endpoint: Endpoint,
    routers: Routers,
}

impl Server {
    /// Binds the listeners and writes their addresses to the state root.
    pub async fn bind(app: Arc<App>, config: ServerConfig) -> Result<Self, ServerError> {
        ServerError::check_clock()?;
        let root = app.state().root().clone();
        let token = OwnerToken::read_or_make(&root)?;
        app.access().set_owner(&token);
        app.access().allow_hosts(config.allow_hosts.clone());
        app.access().allow_failures(config.failure_burst);
        let listeners = Listeners::bind(&root, &config).await?;
        let address = listeners.address()?;
        let grpc_address = listeners.grpc_address()?;
        app.listens_on(std::iter::once(address).chain(grpc_address).collect());
        let grpc = grpc_router(&app).await.map_err(|error| ServerError::Grpc(error.to_string()))?;
        let routers = Routers { http: router(&app), grpc };
        let endpoint = Endpoint::new(&root, address, grpc_address, config.tls.is_some());
        app.console().listen(browser_url(&endpoint.url, &config), &root);
        endpoint.write(&root)?;
        Ok(Self { app, config, listeners, endpoint, routers })
    }

    /// Checks that the ports are free and the certificate is usable; nothing stays bound.
    pub(crate) async fn check_bind(config: &ServerConfig) -> Result<(), ServerError> {
        ServerError::check_clock()?;
        TcpListeners::bind(config).await.map(drop)
    }

    /// Returns the addresses of the listeners.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Serves until the app stops, on its own, by a request or because `stop` resolves; then closes everything.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) -> Result<(), StateError> {
        let Self { app, config, listeners, endpoint, routers } = self;
        let mut connections = Connections::new(&app, &config, routers);
        let mut stopping = app.stopping();
        tokio::pin!(stop);
        loop {
            let idle = idle(config.idle_exit.filter(|_| connections.tasks.is_empty()));
            tokio::select! {
                biased;
                () = until_stopping(&mut stopping) => break,
                () = &mut stop => break,
                incoming = listeners.accept() => connections.serve(incoming).await,
                Some(_) = connections.tasks.join_next(), if !connections.tasks.is_empty() => {}
                () = idle => {
                    tracing::info!("idle timeout reached, shutting down");
                    break;
                }
            }
        }
        drop(listeners);
        endpoint.remove(app.state().root());
        app.begin_stop();
        tracing::info!(calls = app.calls_under_way(), "stopping");
        app.tell_last().await;
        connections.drain(&app, config.grace).await;
        app.close().await
    }
}

/// The open connections of all listeners.
struct Connections {
    routers: Routers,
    limits: ConnectionLimits,
    /// One table per listener, so that a flood of one does not take the places of the others.
    http: ConnectionTable,
    socket: ConnectionTable,
    grpc: ConnectionTable,
    stopping: watch::Receiver<bool>,
    tasks: JoinSet<()>,
}

impl Connections {
    fn new(app: &Arc<App>, config: &ServerConfig, routers: Routers) -> Self {
        Self {
            routers,
            limits: ConnectionLimits {
                header_timeout: config.header_timeout,
                body_timeout: config.body_timeout,
            },
            http: ConnectionTable::new(config.max_connections),
            socket: ConnectionTable::new(config.max_connections),
            grpc: ConnectionTable::new(config.max_connections),
            stopping: app.stopping(),
            tasks: JoinSet::new(),
        }
    }

    /// Serves a connection, or closes it at once if authenticated connections take every place.
    async fn serve(&mut self, incoming: Incoming) {
        // The loop prefers new connections to finished ones, which would pile up during a flood.
        while self.tasks.try_join_next().is_some() {}
        let (table, peer) = match &incoming {
            Incoming::Socket(_) => (&mut self.socket, None),
            Incoming::Grpc(_, peer, _) => (&mut self.grpc, Some(*peer)),
            Incoming::Tcp(_, peer) | Incoming::Tls(_, peer, _) => (&mut self.http, Some(*peer)),
        };
        if !table.make_place(peer) {
            tracing::warn!("too many connections");
            return;
        }
        let state = ConnectionState::default();
        let (routers, stopping) = (self.routers.clone(), self.stopping.clone());
        let serving = connection::serve(incoming, routers, self.limits, state.clone(), stopping);
        table.add(peer, state, self.tasks.spawn(serving));
        // Lets the connection be read before later ones can replace it.
        tokio::task::yield_now().await;
    }

    /// Waits for requests in progress, cancels them after the grace period, and closes the remaining connections.
    async fn drain(mut self, app: &App, grace: Duration) {
        let ended = async {
            while self.tasks.join_next().await.is_some() {}
            // Calls of routines have no connection.
            app.drained().await;
        };
        if tokio::time::timeout(grace, ended).await.is_err() {
            app.cancel_calls();
            let ended = async { while self.tasks.join_next().await.is_some() {} };
            let _ = tokio::time::timeout(CANCEL_GRACE, ended).await;
        }
        self.tasks.shutdown().await;
        app.cancel_calls();
    }
}

/// Returns the URL for a browser: an unspecified address is replaced by a host name.
fn browser_url(url: &str, config: &ServerConfig) -> String {
    let Some((scheme, address)) = url.split_once("://") else { return url.to_owned() };
    match address.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_unspecified() => {
            let name = config.allow_hosts.first().map_or("localhost", String::as_str);
            format!("{scheme}://{name}:{}", address.port())
        }
        _ => url.to_owned(),
    }
}

/// Waits until the idle limit, or forever if there is none.
async fn idle(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}

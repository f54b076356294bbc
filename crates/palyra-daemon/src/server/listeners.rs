//! Binds the listeners and accepts their connections.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use palyra_common::fs::{Directory, ShortPath};
use palyra_state::StateRoot;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_rustls::TlsAcceptor;

use super::connection::Incoming;
use super::endpoint::{RUN_FOLDER, socket_path};
use super::{ServerConfig, ServerError};

/// Pause after a failed accept, for example because no descriptor is left.
const PAUSE: Duration = Duration::from_millis(100);

/// A Unix socket, a TCP port, and optionally a second port for gRPC.
pub(super) struct Listeners {
    socket: UnixListener,
    network: TcpListeners,
}

/// The listeners that do not depend on a state root.
pub(super) struct TcpListeners {
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
    grpc: Option<TcpListener>,
    grpc_tls: Option<TlsAcceptor>,
}

impl TcpListeners {
    /// Binds the ports; an address that other machines can reach requires TLS.
    pub(super) async fn bind(config: &ServerConfig) -> Result<Self, ServerError> {
        for listen in std::iter::once(config.listen).chain(config.grpc_listen) {
            if config.tls.is_none() && !listen.ip().is_loopback() {
                return Err(ServerError::ClearText(listen));
            }
        }
        let acceptor = |protocol: &str| {
            config.tls.as_ref().map(|files| super::tls::acceptor(files, protocol)).transpose()
        };
        let (tls, grpc_tls) = (acceptor("http/1.1")?, acceptor("h2")?);
        let tcp = bind(config.listen).await?;
        let grpc = match config.grpc_listen {
            Some(listen) => Some(bind(listen).await?),
            None => None,
        };
        Ok(Self { tcp, tls, grpc, grpc_tls })
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ServerError> {
    let failed = |source| ServerError::Bind { place: address.to_string(), source };
    TcpListener::bind(address).await.map_err(failed)
}

impl Listeners {
    /// Binds all listeners.
    pub(super) async fn bind(root: &StateRoot, config: &ServerConfig) -> Result<Self, ServerError> {
        let network = TcpListeners::bind(config).await?;
        Directory::create_private(&root.path().join(RUN_FOLDER))?;
        let path = socket_path(root);
        let failed = |source| ServerError::Bind { place: path.display().to_string(), source };
        // This process holds the lock, so the process that bound the socket no longer owns the state.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let bound = ShortPath::of(&path).and_then(|short| UnixListener::bind(short.path()));
        Ok(Self { socket: bound.map_err(failed)?, network })
    }

    /// Returns the TCP listen address.
    pub(super) fn address(&self) -> Result<SocketAddr, ServerError> {
        self.network
            .tcp
            .local_addr()
            .map_err(|source| ServerError::Bind { place: "the TCP port".into(), source })
    }

    /// Returns the gRPC listen address, if gRPC is enabled.
    pub(super) fn grpc_address(&self) -> Result<Option<SocketAddr>, ServerError> {
        let address = self.network.grpc.as_ref().map(TcpListener::local_addr).transpose();
        address.map_err(|source| ServerError::Bind { place: "the port of gRPC".into(), source })
    }

    /// Waits for the next connection; rejects other users of this machine.
    pub(super) async fn accept(&self) -> Incoming {
        let TcpListeners { tcp, tls, grpc, grpc_tls } = &self.network;
        loop {
            let accepted = tokio::select! {
                socket = self.socket.accept() => socket.map(|(stream, _)| local(stream)),
                accepted = tcp.accept() => accepted.map(|(stream, peer)| {
                    let _ = stream.set_nodelay(true);
                    Some(match tls {
                        Some(tls) => Incoming::Tls(stream, peer.ip(), tls.clone()),
                        None => Incoming::Tcp(stream, peer.ip()),
                    })
                }),
                accepted = accept_on(grpc.as_ref()) => accepted.map(|(stream, peer)| {
                    let _ = stream.set_nodelay(true);
                    Some(Incoming::Grpc(stream, peer.ip(), grpc_tls.clone()))
                }),
            };
            match accepted {
                Ok(Some(incoming)) => return incoming,
                Ok(None) => tracing::warn!("rejected Unix-socket connection from another uid"),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Waits for the next connection of an optional listener; never resolves without one.
async fn accept_on(listener: Option<&TcpListener>) -> io::Result<(TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

fn local(stream: UnixStream) -> Option<Incoming> {
    let ours = rustix::process::geteuid().as_raw();
    let same = stream.peer_cred().is_ok_and(|peer| peer.uid() == ours);
    same.then(|| Incoming::Socket(stream))
}

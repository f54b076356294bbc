//! The two listeners.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use palyra_common::fs::{Directory, ShortPath};
use palyra_state::StateRoot;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio_rustls::TlsAcceptor;

use super::connection::Incoming;
use super::endpoint::{RUN_FOLDER, socket_path};
use super::{ServerConfig, ServerError};

/// How long to wait after the system refused a connection, as when there are no more descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// A Unix socket and a TCP port.
pub(super) struct Listeners {
    socket: UnixListener,
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Listeners {
    /// Binds both; an address that leaves the machine needs TLS.
    pub(super) async fn bind(root: &StateRoot, config: &ServerConfig) -> Result<Self, ServerError> {
        if config.tls.is_none() && !config.listen.ip().is_loopback() {
            return Err(ServerError::ClearText(config.listen));
        }
        let tls = config.tls.as_ref().map(super::tls::acceptor).transpose()?;
        Directory::create_private(&root.path().join(RUN_FOLDER))?;
        let path = socket_path(root);
        let failed = |place: String| move |source| ServerError::Bind { place, source };
        // Whoever bound it before no longer owns the state: the lock is ours.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(ServerError::Bind { place: path.display().to_string(), source: error });
            }
            _ => {}
        }
        let bound = ShortPath::of(&path).and_then(|short| UnixListener::bind(short.path()));
        let socket = bound.map_err(failed(path.display().to_string()))?;
        let tcp = TcpListener::bind(config.listen).await.map_err(failed(config.listen.to_string()))?;
        Ok(Self { socket, tcp, tls })
    }

    /// Where TCP is accepted.
    pub(super) fn address(&self) -> Result<SocketAddr, ServerError> {
        self.tcp.local_addr().map_err(|source| ServerError::Bind { place: "the TCP port".into(), source })
    }

    /// The next connection; other users of this machine are turned away.
    pub(super) async fn accept(&self) -> Incoming {
        loop {
            let accepted = tokio::select! {
                socket = self.socket.accept() => socket.map(|(stream, _)| local(stream)),
                tcp = self.tcp.accept() => tcp.map(|(stream, peer)| {
                    let _ = stream.set_nodelay(true);
                    Some(match &self.tls {
                        Some(tls) => Incoming::Tls(stream, peer.ip(), tls.clone()),
                        None => Incoming::Tcp(stream, peer.ip()),
                    })
                }),
            };
            match accepted {
                Ok(Some(incoming)) => return incoming,
                Ok(None) => tracing::warn!("another user came to the socket"),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

fn local(stream: UnixStream) -> Option<Incoming> {
    let ours = rustix::process::geteuid().as_raw();
    let same = stream.peer_cred().is_ok_and(|peer| peer.uid() == ours);
    same.then(|| Incoming::Socket(stream))
}

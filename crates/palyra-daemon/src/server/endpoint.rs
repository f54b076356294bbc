//! The addresses of a daemon, as its state root records them.

use std::net::SocketAddr;
use std::path::PathBuf;

use palyra_common::fs::{Directory, FsError};
use palyra_state::StateRoot;
use serde::{Deserialize, Serialize};

/// Folder of files that exist only while a daemon runs.
pub(crate) const RUN_FOLDER: &str = "run";
/// Name of the socket in [`RUN_FOLDER`].
pub(super) const SOCKET: &str = "palyrad.sock";
const FILE: &str = "endpoint.json";
const MAX_BYTES: u64 = 16 << 10;

/// Addresses of a daemon. They only help clients to connect; which process owns the state is decided by the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Process id of the daemon.
    pub pid: u32,
    /// Version of the daemon.
    pub version: String,
    /// Path of its Unix socket.
    pub socket: PathBuf,
    /// URL of its TCP listener.
    pub url: String,
    /// URL of its gRPC listener, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc_url: Option<String>,
}

/// Returns the path of the Unix socket of a state root.
pub fn socket_path(root: &StateRoot) -> PathBuf {
    root.path().join(RUN_FOLDER).join(SOCKET)
}

impl Endpoint {
    pub(super) fn new(root: &StateRoot, address: SocketAddr, grpc: Option<SocketAddr>, tls: bool) -> Self {
        let scheme = if tls { "https" } else { "http" };
        Self {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            socket: socket_path(root),
            url: format!("{scheme}://{address}"),
            grpc_url: grpc.map(|address| format!("{scheme}://{address}")),
        }
    }

    /// Reads the addresses from the state root; returns `None` if no daemon has written any.
    pub fn read(root: &StateRoot) -> Result<Option<Self>, FsError> {
        let directory = match Directory::open_private(&root.path().join(RUN_FOLDER)) {
            Err(error) if error.is_not_found() => return Ok(None),
            directory => directory?,
        };
        let bytes = directory.read(FILE, MAX_BYTES)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    pub(super) fn write(&self, root: &StateRoot) -> Result<(), FsError> {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        Directory::create_private(&root.path().join(RUN_FOLDER))?.write(FILE, &bytes)
    }

    /// Removes the files of a stopping daemon; leftovers are harmless, because no process listens there.
    pub(super) fn remove(&self, root: &StateRoot) {
        if let Ok(directory) = Directory::open_private(&root.path().join(RUN_FOLDER)) {
            let _ = directory.remove(FILE);
            let _ = std::fs::remove_file(&self.socket);
        }
    }
}

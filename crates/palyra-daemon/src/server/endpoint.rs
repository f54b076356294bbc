//! Where a daemon listens, as its state root says.

use std::net::SocketAddr;
use std::path::PathBuf;

use palyra_common::fs::{Directory, FsError};
use palyra_state::StateRoot;
use serde::{Deserialize, Serialize};

/// The folder of what exists only while a daemon runs.
pub(crate) const RUN_FOLDER: &str = "run";
/// The socket in it.
pub(super) const SOCKET: &str = "palyrad.sock";
const FILE: &str = "endpoint.json";
const MAX_BYTES: u64 = 16 << 10;

/// Where a daemon listens. The lock decides who owns the state; this only says how to reach the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The daemon's process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Its Unix socket.
    pub socket: PathBuf,
    /// Its address over TCP.
    pub url: String,
    /// Its address for gRPC, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc_url: Option<String>,
}

/// The Unix socket of the daemon of a state root.
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

    /// What the state root says; none where no daemon left anything.
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

    /// A stopping daemon removes its files; leftovers are harmless, because nothing answers there.
    pub(super) fn remove(&self, root: &StateRoot) {
        if let Ok(directory) = Directory::open_private(&root.path().join(RUN_FOLDER)) {
            let _ = directory.remove(FILE);
            let _ = std::fs::remove_file(&self.socket);
        }
    }
}

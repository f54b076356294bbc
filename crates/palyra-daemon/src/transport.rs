//! The faces of the daemon: each decodes, authorises, calls and encodes.

pub(crate) mod grpc;
pub mod http;
pub(crate) mod mcp;

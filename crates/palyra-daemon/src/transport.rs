//! The faces of the daemon: each decodes, authorises, calls and encodes.

pub(crate) mod connection_state;
pub mod grpc;
pub(crate) mod held_body;
pub mod http;
pub(crate) mod mcp;

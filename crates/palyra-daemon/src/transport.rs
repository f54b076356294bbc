//! The transports of the daemon: each decodes, authorizes, calls and encodes.

pub(crate) mod connection_state;
pub mod grpc;
pub(crate) mod held_body;
pub mod http;
pub(crate) mod mcp;

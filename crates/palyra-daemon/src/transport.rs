//! The faces of the daemon: each decodes, authorises, calls and encodes.

pub mod http;
pub(crate) mod mcp;

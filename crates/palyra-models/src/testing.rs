//! Providers for tests: one in memory, and a server on loopback that implements all three protocols.

mod frames;
mod scripted;
mod server;

pub use frames::stream_of;
pub use scripted::{Script, ScriptedProvider};
pub use server::{ProviderServer, ServerReply};

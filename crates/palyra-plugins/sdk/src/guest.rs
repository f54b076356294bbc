//! The API of Rust guests.

#[doc(hidden)]
pub mod bindings;
mod error;
mod hook;
mod host_capabilities;
mod plugin;
mod tool;

pub mod channels;
pub mod http;
pub mod log;
pub mod prelude;
pub mod raw;
pub mod run;
pub mod secrets;
pub mod storage;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
#[doc(hidden)]
pub mod tool_io;

pub use error::{HostError, Result, ToolError};
pub use hook::{Event, Hook, HookDecision};
pub use host_capabilities::{
    host_capability_channel_count, host_capability_channel_handle, host_capability_find,
    host_capability_http_count, host_capability_http_handle, host_capability_name,
    host_capability_secret_count, host_capability_secret_handle, host_capability_storage_count,
    host_capability_storage_handle,
};
pub use palyra_plugins_sdk_macros::{hook, tool};
#[doc(hidden)]
pub use plugin::__ids_differ;
pub use plugin::{HookEntry, Plugin, ToolEntry};
pub use raw::types::CapabilityKind;
pub use tool::Tool;

pub use schemars;
pub use serde;
pub use serde_json;

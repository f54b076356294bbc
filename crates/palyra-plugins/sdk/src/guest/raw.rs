//! Direct access to the contract: its handles, records and functions.
//!
//! In a guest these are the imports themselves. In a native build the same functions use
//! [`crate::testing::Harness`].

use super::bindings::imports::palyra::plugin as imports;
#[cfg(not(target_arch = "wasm32"))]
use super::testing::host;

/// Types shared by the other interfaces.
pub mod types {
    pub use super::imports::types::{CapabilityKind, HostError, ToolError};
}

/// The granted capabilities of the current call.
pub mod host_capabilities {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::host_capabilities::*;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::host_capabilities::{
        channel_count, channel_handle, find, http_count, http_handle, name, secret_count, secret_handle,
        storage_count, storage_handle,
    };
}

/// HTTP requests through the egress guard.
pub mod http {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::http::*;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::http::send;
    pub use super::imports::http::{Header, Request, Response, SecretForm, SecretInjection};
}

/// Values of secrets that the guest may read.
pub mod secrets {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::secrets::*;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::secrets::reveal;
}

/// Persistent keys and values.
pub mod storage {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::storage::*;
    pub use super::imports::storage::Page;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::storage::{delete, get, list, put};
}

/// Messages to channels that the operator defined.
pub mod channels {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::channels::*;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::channels::publish;
}

/// Log lines, attributed to the run.
pub mod log {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::log::*;
    pub use super::imports::log::Level;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::log::write;
}

/// Facts about the current call.
pub mod run {
    #[cfg(not(target_arch = "wasm32"))]
    pub use super::host::run::*;
    #[cfg(target_arch = "wasm32")]
    pub use super::imports::run::{operator_config, remaining_fuel, remaining_milliseconds, run_id, tool_id};
}

/// The exports, for a guest that does not use [`crate::plugin!`]: implement `Guest` and pass the type to the macro of
/// the interface.
///
/// ```
/// use palyra_plugins_sdk::raw::{exports, types::ToolError};
///
/// struct Echo;
///
/// impl exports::tools::Guest for Echo {
///     fn invoke(_tool_id: String, input_json: String) -> Result<String, ToolError> {
///         Ok(input_json)
///     }
/// }
///
/// #[cfg(target_arch = "wasm32")]
/// exports::export_tools!(Echo);
/// ```
pub mod exports {
    #[doc(hidden)]
    pub use crate::guest::bindings;
    pub use bindings::describe::export_describe;
    pub use bindings::describe::exports::palyra::plugin::describe;
    pub use bindings::hooks::export_hooks;
    pub use bindings::hooks::exports::palyra::plugin::hooks;
    pub use bindings::tools::export_tools;
    pub use bindings::tools::exports::palyra::plugin::tools;
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{host, imports};

    /// Elements of an array have one type, so this compiles only if both sides have the same signatures.
    #[test]
    fn the_harness_has_the_signatures_of_the_imports() {
        let _ = [imports::host_capabilities::http_count, host::host_capabilities::http_count];
        let _ = [imports::host_capabilities::http_handle, host::host_capabilities::http_handle];
        let _ = [imports::host_capabilities::secret_count, host::host_capabilities::secret_count];
        let _ = [imports::host_capabilities::secret_handle, host::host_capabilities::secret_handle];
        let _ = [imports::host_capabilities::storage_count, host::host_capabilities::storage_count];
        let _ = [imports::host_capabilities::storage_handle, host::host_capabilities::storage_handle];
        let _ = [imports::host_capabilities::channel_count, host::host_capabilities::channel_count];
        let _ = [imports::host_capabilities::channel_handle, host::host_capabilities::channel_handle];
        let _ = [imports::host_capabilities::find, host::host_capabilities::find];
        let _ = [imports::host_capabilities::name, host::host_capabilities::name];
        let _ = [imports::http::send, host::http::send];
        let _ = [imports::secrets::reveal, host::secrets::reveal];
        let _ = [imports::storage::get, host::storage::get];
        let _ = [imports::storage::put, host::storage::put];
        let _ = [imports::storage::delete, host::storage::delete];
        let _ = [imports::storage::list, host::storage::list];
        let _ = [imports::channels::publish, host::channels::publish];
        let _ = [imports::log::write, host::log::write];
        let _ = [imports::run::run_id, host::run::run_id];
        let _ = [imports::run::tool_id, host::run::tool_id];
        let _ = [imports::run::remaining_fuel, host::run::remaining_fuel];
        let _ = [imports::run::remaining_milliseconds, host::run::remaining_milliseconds];
        let _ = [imports::run::operator_config, host::run::operator_config];
    }
}

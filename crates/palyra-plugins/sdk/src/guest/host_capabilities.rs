//! The capability functions of tier A as free functions.

use super::raw::host_capabilities as raw;
use super::raw::types::CapabilityKind;

/// Returns the number of granted HTTP rules.
pub fn host_capability_http_count() -> i32 {
    raw::http_count()
}

/// Returns the handle of the HTTP rule at `index`, or [`crate::abi::NOT_GRANTED`].
pub fn host_capability_http_handle(index: i32) -> i32 {
    raw::http_handle(index)
}

/// Returns the number of granted secrets.
pub fn host_capability_secret_count() -> i32 {
    raw::secret_count()
}

/// Returns the handle of the secret at `index`, or [`crate::abi::NOT_GRANTED`].
pub fn host_capability_secret_handle(index: i32) -> i32 {
    raw::secret_handle(index)
}

/// Returns the number of granted storage prefixes.
pub fn host_capability_storage_count() -> i32 {
    raw::storage_count()
}

/// Returns the handle of the storage prefix at `index`, or [`crate::abi::NOT_GRANTED`].
pub fn host_capability_storage_handle(index: i32) -> i32 {
    raw::storage_handle(index)
}

/// Returns the number of granted channels.
pub fn host_capability_channel_count() -> i32 {
    raw::channel_count()
}

/// Returns the handle of the channel at `index`, or [`crate::abi::NOT_GRANTED`].
pub fn host_capability_channel_handle(index: i32) -> i32 {
    raw::channel_handle(index)
}

/// Returns the handle of the grant called `name`, or [`crate::abi::NOT_GRANTED`].
///
/// For HTTP the name is a URL or a host, for a secret `scope/key` or the key, for storage the prefix, for
/// a channel its name.
pub fn host_capability_find(kind: CapabilityKind, name: &str) -> i32 {
    raw::find(kind, name)
}

/// Returns the name of the grant that a handle of this call refers to.
pub fn host_capability_name(handle: i32) -> Option<String> {
    raw::name(handle)
}

//! Key-value storage of this skill, which survives restarts and is not visible to other skills.

mod keys;

pub use keys::Keys;

use super::error::{HostError, ToolError};
use super::raw::types::CapabilityKind;
use super::raw::{host_capabilities, storage as raw};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The keys below one granted prefix, for the length of this call.
#[derive(Debug, Clone, Copy)]
pub struct Store {
    handle: i32,
}

/// Opens the prefix, for example `open("notes/")`; one that is not granted is refused when it is used.
pub fn open(prefix: &str) -> Store {
    Store { handle: host_capabilities::find(CapabilityKind::Storage, prefix) }
}

impl Store {
    /// Returns the value of `key`, or `None` if it is not set.
    ///
    /// # Errors
    ///
    /// [`HostError::Denied`] if the prefix is not granted, and [`HostError::InvalidArgument`] if the key is invalid.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, HostError> {
        Ok(raw::get(self.handle, key)?)
    }

    /// Returns the value of `key` as text.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::get`], and a [`ToolError`] if the value is not UTF-8.
    pub fn get_string(&self, key: &str) -> Result<Option<String>, ToolError> {
        Ok(self.get(key)?.map(String::from_utf8).transpose()?)
    }

    /// Returns the value of `key`, parsed as JSON.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::get`], and [`ToolError::INVALID_DATA`] if the value is not JSON of this type.
    pub fn get_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ToolError> {
        let value = self.get(key)?.map(|bytes| serde_json::from_slice(&bytes)).transpose();
        value.map_err(|error| {
            ToolError::invalid_data(&format!("the value of `{key}` is not the expected JSON"), error)
        })
    }

    /// Sets `key` to bytes or text; the change is immediate.
    ///
    /// # Errors
    ///
    /// [`HostError::Denied`] if the prefix is not granted for writing, and [`HostError::QuotaExceeded`] above the quota
    /// of the prefix.
    pub fn put(&self, key: &str, value: impl AsRef<[u8]>) -> Result<(), HostError> {
        Ok(raw::put(self.handle, key, value.as_ref())?)
    }

    /// Sets `key` to a value as JSON.
    pub fn put_json<T: Serialize + ?Sized>(&self, key: &str, value: &T) -> Result<(), ToolError> {
        Ok(self.put(key, serde_json::to_vec(value)?)?)
    }

    /// Removes `key`; returns whether it existed.
    pub fn delete(&self, key: &str) -> Result<bool, HostError> {
        Ok(raw::delete(self.handle, key)?)
    }

    /// Returns the keys that start with `prefix`, in byte order, fetched page by page.
    pub fn keys(&self, prefix: &str) -> Keys {
        Keys::new(self.handle, prefix)
    }
}

//! The interface `storage` of the harness.

use super::super::state::State;
use super::with;
use crate::guest::raw::storage::Page;
use crate::guest::raw::types::{CapabilityKind, HostError};
use std::ops::Bound;

/// Maximum number of keys returned at once, as on the real host.
const MAX_PAGE: u32 = 1_000;
/// Maximum length of a key with its prefix in bytes, as on the real host.
const MAX_KEY_BYTES: usize = 1_024;

/// Returns the value of `key`, or `None` if it does not exist.
pub fn get(handle: i32, key: &str) -> Result<Option<Vec<u8>>, HostError> {
    with(|state| {
        let (_, full) = full_key(state, handle, key)?;
        Ok(state.stored.get(&full).cloned())
    })
}

/// Sets `key` to `value`.
pub fn put(handle: i32, key: &str, value: &[u8]) -> Result<(), HostError> {
    with(|state| {
        let (index, full) = full_key(state, handle, key)?;
        check_writable(state, index)?;
        check_quota(state, index, &full, value)?;
        state.stored.insert(full, value.to_vec());
        Ok(())
    })
}

/// Removes `key`; returns whether it existed.
pub fn delete(handle: i32, key: &str) -> Result<bool, HostError> {
    with(|state| {
        let (index, full) = full_key(state, handle, key)?;
        check_writable(state, index)?;
        Ok(state.stored.remove(&full).is_some())
    })
}

/// Returns the keys that start with `prefix`, after `cursor`.
pub fn list(handle: i32, prefix: &str, cursor: Option<&str>, limit: u32) -> Result<Page, HostError> {
    with(|state| {
        let index = state.granted_index(CapabilityKind::Storage, handle)?;
        let root = state.grants.storage[index].prefix.clone();
        let start = format!("{root}{prefix}");
        let from = match cursor {
            Some(cursor) => Bound::Excluded(format!("{root}{cursor}")),
            None => Bound::Included(start.clone()),
        };
        let limit = usize::try_from(limit.clamp(1, MAX_PAGE)).unwrap_or(1);
        let range = state.stored.range((from, Bound::Unbounded)).map(|(key, _)| key);
        let mut rest = range.filter(|key| key.starts_with(&start)).map(|key| key[root.len()..].to_owned());
        let keys: Vec<String> = rest.by_ref().take(limit).collect();
        let next = rest.next().and_then(|_| keys.last().cloned());
        Ok(Page { keys, next })
    })
}

fn full_key(state: &mut State, handle: i32, key: &str) -> Result<(usize, String), HostError> {
    let index = state.granted_index(CapabilityKind::Storage, handle)?;
    let full = format!("{}{key}", state.grants.storage[index].prefix);
    let bad = |reason: &str| Err(HostError::InvalidArgument(format!("storage key: {reason}")));
    if key.is_empty() || key.chars().any(char::is_control) {
        return bad("it is empty or has a control character");
    }
    if key.split('/').any(|segment| segment == "." || segment == "..") {
        return bad("it has a `.` or `..` segment");
    }
    if full.len() > MAX_KEY_BYTES {
        return bad("it is longer than 1,024 bytes");
    }
    Ok((index, full))
}

fn check_writable(state: &mut State, index: usize) -> Result<(), HostError> {
    let grant = &state.grants.storage[index];
    if !grant.read_only {
        return Ok(());
    }
    let text = format!("storage: `{}` is granted for reading only", grant.prefix);
    Err(state.deny(text))
}

/// Counts keys and values below the grant's prefix as they would be after the write.
fn check_quota(state: &mut State, index: usize, full: &str, value: &[u8]) -> Result<(), HostError> {
    let grant = state.grants.storage[index].clone();
    let others = state.stored.iter().filter(|(key, _)| key.starts_with(&grant.prefix) && *key != full);
    let (mut keys, mut bytes) = (1, full.len() + value.len());
    for (key, value) in others {
        keys += 1;
        bytes += key.len() + value.len();
    }
    for (what, used, cap) in [("keys", keys, grant.max_keys), ("bytes", bytes, grant.max_bytes)] {
        if cap.is_some_and(|cap| used as u64 > cap) {
            return Err(state.exceed(format!("storage: {used} {what} under `{}`", grant.prefix)));
        }
    }
    Ok(())
}

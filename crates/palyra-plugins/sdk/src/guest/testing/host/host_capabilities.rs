//! The interface `host-capabilities` of the harness.

use super::super::grants::Grants;
use super::super::url;
use super::with;
use crate::abi::NOT_GRANTED;
use crate::guest::raw::types::CapabilityKind;

/// Returns the number of granted HTTP rules.
pub fn http_count() -> i32 {
    with(|state| state.call.handles.count(CapabilityKind::Http))
}

/// Returns the handle of the HTTP rule at `index`.
pub fn http_handle(index: i32) -> i32 {
    with(|state| state.call.handles.at(CapabilityKind::Http, index))
}

/// Returns the number of granted secrets.
pub fn secret_count() -> i32 {
    with(|state| state.call.handles.count(CapabilityKind::Secret))
}

/// Returns the handle of the secret at `index`.
pub fn secret_handle(index: i32) -> i32 {
    with(|state| state.call.handles.at(CapabilityKind::Secret, index))
}

/// Returns the number of granted storage prefixes.
pub fn storage_count() -> i32 {
    with(|state| state.call.handles.count(CapabilityKind::Storage))
}

/// Returns the handle of the storage prefix at `index`.
pub fn storage_handle(index: i32) -> i32 {
    with(|state| state.call.handles.at(CapabilityKind::Storage, index))
}

/// Returns the number of granted channels.
pub fn channel_count() -> i32 {
    with(|state| state.call.handles.count(CapabilityKind::Channel))
}

/// Returns the handle of the channel at `index`.
pub fn channel_handle(index: i32) -> i32 {
    with(|state| state.call.handles.at(CapabilityKind::Channel, index))
}

/// Returns the handle of the grant with this name, or [`NOT_GRANTED`].
pub fn find(kind: CapabilityKind, name: &str) -> i32 {
    with(|state| {
        let index = position(&state.grants, kind, name).and_then(|index| i32::try_from(index).ok());
        index.map_or(NOT_GRANTED, |index| state.call.handles.at(kind, index))
    })
}

/// Returns the name behind a handle of this call.
pub fn name(handle: i32) -> Option<String> {
    with(|state| {
        let (kind, index) = state.call.handles.resolve(handle)?;
        let grants = &state.grants;
        Some(match kind {
            CapabilityKind::Http => grants.http[index].text.clone(),
            CapabilityKind::Secret => grants.secrets[index].name.clone(),
            CapabilityKind::Storage => grants.storage[index].prefix.clone(),
            CapabilityKind::Channel => grants.channels[index].clone(),
        })
    })
}

fn position(grants: &Grants, kind: CapabilityKind, name: &str) -> Option<usize> {
    match kind {
        CapabilityKind::Http => match url::parse(name) {
            Ok(url) => grants.http.iter().position(|rule| rule.covers(&url)),
            Err(_) => grants.http.iter().position(|rule| rule.covers_host(&name.to_ascii_lowercase())),
        },
        CapabilityKind::Secret => grants.secrets.iter().position(|grant| grant.is_called(name)),
        CapabilityKind::Storage => grants.storage.iter().position(|grant| grant.prefix == name),
        CapabilityKind::Channel => grants.channels.iter().position(|channel| channel == name),
    }
}

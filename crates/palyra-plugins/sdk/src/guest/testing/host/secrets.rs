//! The interface `secrets` of the harness.

use super::with;
use crate::guest::raw::types::{CapabilityKind, HostError};

/// Returns the value behind `handle`. Denied unless its grant contains `reveal`.
pub fn reveal(handle: i32) -> Result<Vec<u8>, HostError> {
    with(|state| {
        let index = state.granted_index(CapabilityKind::Secret, handle)?;
        let grant = &state.grants.secrets[index];
        let name = grant.name.clone();
        if !grant.reveal {
            return Err(
                state.deny(format!("no grant reveals the secret `{name}`; grant `secret:{name} reveal`"))
            );
        }
        let value = state.secret_values.get(&name).cloned();
        value.ok_or_else(|| HostError::Unavailable(format!("the harness has no value for secret `{name}`")))
    })
}

//! Derived grants, kept under everything they follow from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use palyra_skills::Sha256Digest;

use super::EffectiveGrants;

/// Most derivations that are kept.
const MAX_CACHED: usize = 4_096;

/// Everything a derivation follows from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::call) struct GrantKey {
    pub(in crate::call) payload: Sha256Digest,
    pub(in crate::call) tool: String,
    pub(in crate::call) principal: String,
    pub(in crate::call) consent: Sha256Digest,
    pub(in crate::call) profile_revision: u64,
    pub(in crate::call) policy_revision: u64,
    pub(in crate::call) generation: u64,
}

#[derive(Default)]
pub(in crate::call) struct GrantCache(Mutex<HashMap<GrantKey, Arc<EffectiveGrants>>>);

impl GrantCache {
    pub(in crate::call) fn get_or_derive(
        &self,
        key: GrantKey,
        derive: impl FnOnce() -> EffectiveGrants,
    ) -> Arc<EffectiveGrants> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(grants) = cache.get(&key) {
            return Arc::clone(grants);
        }
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        let grants = Arc::new(derive());
        cache.insert(key, Arc::clone(&grants));
        grants
    }
}

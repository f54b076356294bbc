//! The view of the trust store that one verification uses.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::store::SkillTrustStore;
use crate::digest::Sha256Digest;

/// The payload digests that are compiled into the program. These releases are trusted without a publisher's key.
pub type BuiltInReleases = Arc<BTreeSet<Sha256Digest>>;

/// An immutable view of a trust store, with the permission to pin keys on first use.
#[derive(Debug, Clone)]
pub struct TrustSnapshot {
    store: Arc<SkillTrustStore>,
    allow_tofu: bool,
    built_in: BuiltInReleases,
}

impl TrustSnapshot {
    /// Creates a view that does not permit pinning.
    #[must_use]
    pub fn new(store: impl Into<Arc<SkillTrustStore>>) -> Self {
        Self { store: store.into(), allow_tofu: false, built_in: BuiltInReleases::default() }
    }

    /// Sets whether keys of unknown publishers may be pinned.
    #[must_use]
    pub fn with_tofu(self, allow_tofu: bool) -> Self {
        Self { allow_tofu, ..self }
    }

    /// Sets the releases that are part of the program.
    #[must_use]
    pub fn with_built_in(self, built_in: BuiltInReleases) -> Self {
        Self { built_in, ..self }
    }

    /// Returns whether the payload is part of the program.
    pub(super) fn is_built_in(&self, payload: Sha256Digest) -> bool {
        self.built_in.contains(&payload)
    }

    /// Returns the underlying trust store.
    #[must_use]
    pub fn store(&self) -> &SkillTrustStore {
        &self.store
    }

    /// Returns whether keys of unknown publishers may be pinned.
    #[must_use]
    pub fn allows_tofu(&self) -> bool {
        self.allow_tofu
    }
}

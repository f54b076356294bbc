//! The view of the trust store that one verification sees.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::store::SkillTrustStore;
use crate::digest::Sha256Digest;

/// The payload digests that are compiled into the program: releases that need no publisher's key to be trusted.
pub type BuiltInReleases = Arc<BTreeSet<Sha256Digest>>;

/// An immutable view of a trust store, and whether a first contact may be offered for pinning.
#[derive(Debug, Clone)]
pub struct TrustSnapshot {
    store: Arc<SkillTrustStore>,
    allow_tofu: bool,
    built_in: BuiltInReleases,
}

impl TrustSnapshot {
    /// A view in which unknown publishers stay unknown.
    #[must_use]
    pub fn new(store: impl Into<Arc<SkillTrustStore>>) -> Self {
        Self { store: store.into(), allow_tofu: false, built_in: BuiltInReleases::default() }
    }

    /// The same view with or without permission to offer a pin.
    #[must_use]
    pub fn with_tofu(self, allow_tofu: bool) -> Self {
        Self { allow_tofu, ..self }
    }

    /// The same view in which these releases are built in.
    #[must_use]
    pub fn with_built_in(self, built_in: BuiltInReleases) -> Self {
        Self { built_in, ..self }
    }

    /// Whether this payload is compiled into the program.
    pub(super) fn is_built_in(&self, payload: Sha256Digest) -> bool {
        self.built_in.contains(&payload)
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &SkillTrustStore {
        &self.store
    }

    /// Whether a first contact may be offered for pinning.
    #[must_use]
    pub fn allows_tofu(&self) -> bool {
        self.allow_tofu
    }
}

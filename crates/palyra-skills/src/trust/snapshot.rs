//! The view of the trust store that one verification sees.

use std::sync::Arc;

use super::store::SkillTrustStore;

/// An immutable view of a trust store, and whether a first contact may be offered for pinning.
#[derive(Debug, Clone)]
pub struct TrustSnapshot {
    store: Arc<SkillTrustStore>,
    allow_tofu: bool,
}

impl TrustSnapshot {
    /// A view in which unknown publishers stay unknown.
    #[must_use]
    pub fn new(store: impl Into<Arc<SkillTrustStore>>) -> Self {
        Self { store: store.into(), allow_tofu: false }
    }

    /// The same view with or without permission to offer a pin.
    #[must_use]
    pub fn with_tofu(self, allow_tofu: bool) -> Self {
        Self { allow_tofu, ..self }
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

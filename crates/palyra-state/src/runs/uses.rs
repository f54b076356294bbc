//! Counters of capability use, as rows and receipts store them.

use std::collections::BTreeMap;

use serde::Serialize;

/// How often a capability was used, denied and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct UseCount {
    /// Number of successful uses.
    pub used: u64,
    /// Number of denied uses.
    pub denied: u64,
    /// Number of calls that failed for other reasons.
    pub failed: u64,
}

/// Counters by declared capability; operations that were not declared have their own name.
pub type CapabilityUse = BTreeMap<String, UseCount>;

/// Uses of resources by kind and name: the actual host, for example, not the rule that allowed it.
pub type Touched = BTreeMap<(&'static str, String), u64>;

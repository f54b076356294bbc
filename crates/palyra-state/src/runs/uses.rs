//! Counters of capability use, as rows and receipts store them.

pub use palyra_common::model::runs::UseCount;

use std::collections::BTreeMap;

/// Counters by declared capability; operations that were not declared have their own name.
pub type CapabilityUse = BTreeMap<String, UseCount>;

/// Uses of resources by kind and name: the actual host, for example, not the rule that allowed it.
pub type Touched = BTreeMap<(&'static str, String), u64>;

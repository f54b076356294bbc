//! What a manifest asks for, as grants, as one canonical text, and in plain words.

mod canonical;
mod from_manifest;
mod quotas;
mod words;

pub use canonical::{canonical_capabilities, capability_digest};
pub use from_manifest::capability_grants_from_manifest;
pub(crate) use from_manifest::{http_rules_of, secret_grants_of};
pub use quotas::limits_from_manifest;
pub(crate) use quotas::{quota_field, quota_names};
pub use words::{Permission, PermissionSeverity, grant_in_words, permissions_in_words};

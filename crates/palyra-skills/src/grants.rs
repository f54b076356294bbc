//! The requests of a manifest: as grants, as one canonical text, and as permissions in plain English.

mod canonical;
mod from_manifest;
mod permissions;
mod quotas;

pub use canonical::{canonical_capabilities, capability_digest};
pub use from_manifest::{capability_grants_from_manifest, grants_of_tool, narrowed_grants_of_tool};
pub(crate) use from_manifest::{grants_of, http_rules_of, is_requested, secret_grants_of};
pub use permissions::{Permission, PermissionSeverity, describe_grant, describe_permissions};
pub use quotas::limits_from_manifest;
pub(crate) use quotas::{quota_field, quota_names};

//! Types that the other crates share, without policy and without network access.

#![forbid(unsafe_code)]

pub mod access;
pub mod byte_size;
mod cache;
pub mod capabilities;
mod capability_profile;
pub mod deployment_profiles;
pub mod env_vars;
mod error_code;
pub mod fs;
pub mod json;
mod labels;
pub mod limits;
pub mod model;
mod named_values;
pub mod principal;
pub mod random;
pub mod redact;
pub mod run_error;
mod runner_policy;
mod secret_strength;
pub mod tally;
pub mod text;
pub mod time;

pub use access::{Scope, ScopeSet};
pub use cache::BoundedCache;
pub use capabilities::{Capability, CapabilityGrantSet, CapabilityKind, OperatorGrants};
pub use capability_profile::PluginCapabilityProfile;
pub use error_code::ErrorCode;
pub use json::{InOrder, JsonText, JsonTextError, canonical_text};
pub use labels::InformationLabels;
pub use limits::{LimitKind, RuntimeLimits};
pub use principal::{Action, Principal, PrincipalKind, Transport};
pub use redact::SecretValue;
pub use run_error::{Denial, INLINE_MODULES, THE_RUNNER, WasmPluginRunError, WasmPluginRunErrorKind};
pub use runner_policy::{BadSetting, WasmPluginRunnerPolicy};
pub use secret_strength::{MIN_SECRET_BITS, is_weak_secret};

//! Shared vocabulary of Palyra: the words every other crate uses, with no policy and no network.

#![forbid(unsafe_code)]

pub mod access;
pub mod byte_size;
pub mod capabilities;
pub mod env_vars;
pub mod fs;
pub mod json;
pub mod limits;
pub mod redact;
pub mod run_error;

pub use access::{Scope, ScopeSet};
pub use capabilities::{Capability, CapabilityGrantSet, CapabilityKind, OperatorGrants};
pub use json::{JsonText, JsonTextError};
pub use limits::{LimitKind, RuntimeLimits};
pub use redact::SecretValue;
pub use run_error::{Denial, WasmPluginRunError, WasmPluginRunErrorKind};

//! `use palyra_plugins_sdk::prelude::*;`: what nearly every guest writes.

pub use crate::{Event, HookDecision, HostError, ToolError, hook, log, tool};
pub use crate::{schemars, schemars::JsonSchema};
pub use serde::{Deserialize, Serialize};

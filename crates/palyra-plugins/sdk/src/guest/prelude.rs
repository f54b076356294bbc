//! The names that nearly every guest uses: `use palyra_plugins_sdk::prelude::*;`.

pub use crate::{Event, HookDecision, HostError, ToolError, hook, log, tool};
pub use crate::{schemars, schemars::JsonSchema};
pub use serde::{Deserialize, Serialize};

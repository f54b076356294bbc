//! The call pipeline: every run of a plugin, installed or inline, tool or hook, goes through this crate.
//!
//! Find → check the input → verify the module → policy → grants → gates → approval → admission → run → check the output
//! → receipt. [`ToolCaller`] is the entry; the stages are in `wasm_plugin_runner.rs`: `run_wasm_plugin`,
//! `resolve_module_source`, `run_resolved_wasm_plugin` and `execute_module`. Rows of runs, their lines and tapes are
//! stored by `palyra_state::runs`.

#![forbid(unsafe_code)]

mod approval;
mod before_tool;
mod call;
mod caller;
mod code;
mod declared;
mod error;
mod find;
mod grants;
mod hook;
mod receipt;
mod refusal;
mod replay;
mod resolve;
mod schemas;
mod services;
mod stages;
mod usage;
mod wasm_plugin_runner;

pub use palyra_common::{WasmPluginRunErrorKind, WasmPluginRunnerPolicy};
pub use palyra_plugins_runtime::CodeState;
pub use palyra_state::runs::{INLINE, RunListener};

pub use before_tool::{GateReason, GateRefusal};
pub use call::{CallContext, ToolInvocation, ToolResult};
pub use caller::{CallerConfig, ToolCaller};
pub use code::stored_code_state;
pub use declared::{DeclaredCapability, DeclaredVersusUsed, check_plugin_config, declared_versus_used};
pub use error::{CallError, FailedRun};
pub use grants::{
    EffectiveGrants, GrantAuthority, GrantDerivation, GrantStep, GrantVerdict, effective_grants,
    effective_grants_of_tool,
};
pub use hook::{HookAnswer, HookInvocation};
pub use refusal::{LimitPlaces, policy_limits};
pub use replay::Replayed;
pub use stages::StageTimes;
pub use wasm_plugin_runner::{InlineInvocation, MAKE_A_SKILL, NEVER_INLINE, fuel_limit};

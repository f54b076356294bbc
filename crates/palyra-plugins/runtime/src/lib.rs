//! The sandbox: the only crate that knows wasmtime.
//!
//! [`WasmRuntime`] loads a module once and runs it many times, each time in a new instance, with exactly the
//! capabilities of a [`CapabilityGrantSet`] and under the [`RuntimeLimits`]. A call returns a
//! [`RunReport`]: a result or a typed error, the resources used, the log, and a [`Tape`] from which the run can
//! be replayed without external input.
//!
//! The crate enforces grant sets and does not decide them.

#![deny(unsafe_code)]

mod backends;
mod cache;
mod capabilities;
mod code_state;
mod compile;
mod compiled;
mod config;
mod engine;
mod execute;
mod fault;
mod invocation;
mod limiter;
mod loader;
mod machine;
mod meter;
mod module;
mod permits;
mod random;
mod report;
mod run_context;
mod run_log;
mod run_state;
mod runtime;
mod shape;
mod step_times;
mod tape;
mod ticker;
mod usage_watch;
mod wasi;

pub use backends::{
    BackendError, ChannelMessage, ChannelSink, DirectoryStorage, HostServices, MemoryChannels, MemorySecrets,
    MemoryStorage, OnLine, SecretStore, StorageBackend, StorageQuota,
};
pub use cache::{CacheEvent, CacheEventKind, DiskCacheConfig, has_code_on_disk};
pub use capabilities::{CapabilityHandles, register_capability_bindings};
pub use code_state::CodeState;
pub use compile::{
    ChildCompiler, CompileFailure, CompiledBytes, Compiler, InProcessCompiler, compile_child_main,
};
pub use config::RuntimeConfig;
pub use engine::{EngineClass, engine_fingerprint};
pub use invocation::{CancelToken, Entry, HookDecision, Invocation};
pub use loader::LoadRequest;
pub use module::{LoadedModule, ModuleKind};
pub use palyra_common::{CapabilityGrantSet, RuntimeLimits};
pub use permits::RunPlace;
pub use report::{HostCallTrace, ModuleOrigin, RunOutput, RunReport, RunUsage};
pub use run_log::{LogLevel, LogLine};
pub use run_state::RunState;
pub use runtime::{RuntimeStartError, WasmRuntime};
pub use shape::{ModuleShape, inspect_module};
pub use step_times::StepTime;
pub use tape::{Divergence, ReplayVerdict, Tape, TapeError, TapeHeader, TapeStep};
pub use usage_watch::UsageWatch;

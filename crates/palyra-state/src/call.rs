//! Corridor 3: one call of a tool of an installed skill.
//!
//! Find the tool → check the input → prove the module → grants → approval → run → check the output → receipt.
//! Whoever calls, calls here; the stages are in `wasm_plugin_runner`.

mod approval;
mod before_tool;
mod cost;
mod describe;
mod find;
mod grants;
mod hook;
mod permits;
mod receipt;
mod replay;
mod resolve;
mod run_events;
mod running;
mod runs;
mod schemas;
mod services;
mod stages;
mod tapes;
mod usage;
mod wasm_plugin_runner;

use std::sync::Arc;

use palyra_common::principal::OWNER;
use palyra_common::tally::{CacheCount, CacheTally};
use palyra_common::{ErrorCode, JsonText, OperatorGrants, Principal, RuntimeLimits, WasmPluginRunError};
use palyra_egress::EgressGuard;
use palyra_plugins_runtime::{
    CancelToken, Compiler, DiskCacheConfig, HostServices, LogLine, RunOutput, RunUsage, RuntimeConfig, Tape,
    WasmRuntime,
};
use palyra_policy::PolicyDecision;
use palyra_skills::Sha256Digest;

pub use before_tool::{GateReason, GateRefusal};
pub use cost::ToolCost;
pub(crate) use find::check_runnable;
pub use grants::{EffectiveGrants, GrantAuthority, GrantDerivation, GrantStep, GrantVerdict};
pub use hook::{HookAnswer, HookInvocation};
pub use replay::Replayed;
pub use run_events::{RunFollower, RunUpdate};
pub(crate) use running::RunningRuns;
pub use running::{RunListener, RunningRun};
pub use runs::{DEFAULT_TAPE_STORE_BYTES, RunEvent, RunPage, RunQuery, RunRetention, RunRow, Trimmed};
pub(crate) use runs::{MAX_TOUCHED, OTHERS, RUN_COLUMNS, close_interrupted, read_run};
pub use stages::StageTimes;
pub use tapes::TapeProblem;
pub(crate) use usage::declared;
pub use usage::{CapabilityUse, UseCount};
pub use wasm_plugin_runner::{INLINE, InlineInvocation};

use crate::error::StateError;
use crate::skills::SkillError;
use crate::state::State;
use crate::storage::StorageDatabase;
use find::FoundTools;
use permits::{CallPermits, QUEUE_TIME};
use resolve::VerifiedCache;
use schemas::SchemaCache;
use services::{RunChannels, SkillStorage, VaultSecrets};
use wasm_plugin_runner::{InlineCall, InstalledCall, ModuleSource, run_wasm_plugin};

/// How calls are carried out; decided once by whoever owns the process.
pub struct CallerConfig {
    /// Who compiles.
    pub compiler: Arc<dyn Compiler>,
    /// Whether compiled code is kept between processes, below the state root.
    pub keep_compiled_code: bool,
    /// The one way out; `None` refuses every request as unavailable.
    pub egress: Option<EgressGuard>,
    /// No run gets more than this.
    pub ceiling: Option<RuntimeLimits>,
    /// Runs that may be under way at once.
    pub max_concurrent_runs: u32,
}

/// One call.
#[derive(Clone)]
pub struct ToolInvocation {
    /// The tool: its id, its name for models, or an alias.
    pub tool: String,
    /// The skill it has to be of, if the caller knows.
    pub skill_id: Option<String>,
    /// The input.
    pub input: JsonText,
    /// Who calls; [`Principal::requester`] counts as asking for it, where a person has to approve it.
    pub principal: Arc<Principal>,
    /// Directories and addresses the operator opens; nothing else in it widens anything.
    pub operator: OperatorGrants,
    /// What the caller allows the run at most.
    pub limits: Option<RuntimeLimits>,
    /// Lets the caller end the run.
    pub cancel: Option<CancelToken>,
    /// Tells the caller which run it is, and what that says while it runs.
    pub listener: Option<Arc<RunListener>>,
    /// What the call is part of.
    pub context: CallContext,
}

/// What a call is part of; the default is a call of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallContext {
    /// The session it belongs to.
    pub session: Option<String>,
    /// The larger run it is a step of.
    pub parent_run: Option<String>,
    /// How long to wait for a person to decide, where one has to; `None` refuses at once.
    pub wait_for_approval: Option<std::time::Duration>,
}

/// What a call gave.
#[derive(Debug)]
pub struct ToolResult<Output = JsonText> {
    /// The run.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release that ran.
    pub payload: Sha256Digest,
    /// The output, checked against its schema.
    pub output: Output,
    /// What was used.
    pub usage: RunUsage,
    /// How often each granted door was used.
    pub capabilities: CapabilityUse,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Where the receipt stands in the journal.
    pub receipt: palyra_journal::Leaf,
    /// The recording.
    pub tape: Tape,
    /// How long each stage took.
    pub stages: StageTimes,
}

impl ToolResult<RunOutput> {
    /// The same with the JSON text that tools return.
    fn of_tool(self) -> Result<ToolResult, CallError> {
        let Self {
            run_id,
            skill_id,
            tool_id,
            payload,
            output,
            usage,
            capabilities,
            log,
            receipt,
            tape,
            stages,
        } = self;
        let RunOutput::Json(output) = output else {
            return Err(WasmPluginRunError::Internal("a tool gave no JSON".into()).into());
        };
        Ok(ToolResult {
            run_id,
            skill_id,
            tool_id,
            payload,
            output,
            usage,
            capabilities,
            log,
            receipt,
            tape,
            stages,
        })
    }
}

/// Why a call gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The call was refused before a run began.
    #[error(transparent)]
    Run(#[from] WasmPluginRunError),
    /// A run began and failed; it has a receipt.
    #[error("{}", .0.error)]
    Failed(Box<FailedRun>),
    /// The state could not be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The access policy says no.
    #[error("{decision}")]
    Denied {
        /// The skill.
        skill_id: String,
        /// Its tool.
        tool_id: String,
        /// What was decided, and by which rules.
        decision: Arc<PolicyDecision>,
    },
    /// A gate says no, or nothing.
    #[error("{0}")]
    Gated(Box<GateRefusal>),
}

/// A run that ended without a result.
#[derive(Debug, Clone)]
pub struct FailedRun {
    /// Names its row, receipt and tape.
    pub run_id: String,
    /// What it is charged.
    pub fuel: u64,
    /// Why it failed.
    pub error: WasmPluginRunError,
}

impl CallError {
    /// Returns why the run was refused or failed, where that is what happened.
    pub fn run_error(&self) -> Option<&WasmPluginRunError> {
        match self {
            Self::Run(error) => Some(error),
            Self::Failed(run) => Some(&run.error),
            Self::State(_) | Self::Denied { .. } | Self::Gated(_) => None,
        }
    }

    /// Returns the run that failed; a call that was refused before it began has none.
    pub fn failed_run(&self) -> Option<&FailedRun> {
        match self {
            Self::Failed(run) => Some(run),
            Self::Run(_) | Self::State(_) | Self::Denied { .. } | Self::Gated(_) => None,
        }
    }

    /// The code of this error on every transport.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Run(error) => error.kind().into(),
            Self::Failed(run) => run.error.kind().into(),
            Self::State(error) => error.code(),
            Self::Denied { .. } | Self::Gated(_) => ErrorCode::Forbidden,
        }
    }
}

impl From<SkillError> for CallError {
    fn from(error: SkillError) -> Self {
        match error {
            SkillError::State(error) => Self::State(error),
            SkillError::NotInstalled { skill_id } => {
                WasmPluginRunError::NotFound { what: "skill", name: skill_id, known: Vec::new() }.into()
            }
            SkillError::Damaged { skill_id, reason } => {
                let remedy = "install it again from its `.palyra-skill` file, then enable it".into();
                WasmPluginRunError::NotRunnable { name: skill_id, reason, remedy }.into()
            }
            other => WasmPluginRunError::Internal(other.to_string()).into(),
        }
    }
}

/// Calls tools of installed skills.
pub struct ToolCaller {
    state: Arc<State>,
    runtime: WasmRuntime,
    schemas: SchemaCache,
    verified: VerifiedCache,
    found: FoundTools,
    hooks: FoundTools,
    ready_tally: CacheTally,
    permits: CallPermits,
    max_concurrent_runs: u32,
}

impl ToolCaller {
    /// Starts the sandbox over an open state.
    pub fn new(state: Arc<State>, config: CallerConfig) -> Result<Self, StateError> {
        let storage = StorageDatabase::open(&state.root().storage())?;
        let channels = RunChannels::new(Arc::clone(&state));
        let vault = Arc::clone(&state.keeper.vault);
        let defaults = RuntimeConfig::default();
        let runtime = WasmRuntime::new(RuntimeConfig {
            ceiling: config.ceiling.unwrap_or(defaults.ceiling),
            max_concurrent_runs: config.max_concurrent_runs,
            compiler: config.compiler,
            disk_cache: config.keep_compiled_code.then(|| disk_cache(&state)),
            tape_key: *vault.derive_key("palyra-state: secrets on tapes v1"),
            services: HostServices {
                storage: Arc::new(SkillStorage::new(Arc::new(storage))),
                secrets: Arc::new(VaultSecrets(vault)),
                channels: Arc::new(channels),
                egress: config.egress,
                on_line: Some(state.running.hears_lines()),
            },
            ..RuntimeConfig::default()
        });
        let runtime = runtime.map_err(StateError::record("read", "the sandbox"))?;
        Ok(Self {
            state,
            runtime,
            schemas: SchemaCache::default(),
            verified: VerifiedCache::default(),
            found: FoundTools::default(),
            hooks: FoundTools::default(),
            ready_tally: CacheTally::default(),
            permits: CallPermits::new(config.max_concurrent_runs, QUEUE_TIME),
            max_concurrent_runs: config.max_concurrent_runs,
        })
    }

    /// Sets how long a call waits for room before it is `busy`.
    #[must_use]
    pub fn with_queue_time(mut self, queue_time: std::time::Duration) -> Self {
        self.permits = CallPermits::new(self.max_concurrent_runs, queue_time);
        self
    }

    /// How often each cache of calls had what was asked for.
    pub fn cache_counts(&self) -> Vec<(&'static str, CacheCount)> {
        let of_calls = [
            ("tool", self.found.tally.count() + self.hooks.tally.count()),
            ("ready_tool", self.ready_tally.count()),
            ("schema", self.schemas.tally.count()),
            ("verified_skill", self.verified.tally.count()),
        ];
        of_calls.into_iter().chain(self.runtime.cache_counts()).collect()
    }

    /// How many calls wait for room among calls, and how many runs for room in the sandbox.
    pub fn waiting(&self) -> (usize, usize) {
        (self.permits.waiting(), self.runtime.waiting())
    }

    /// Calls a tool of an installed skill.
    pub async fn call(&self, invocation: ToolInvocation) -> Result<ToolResult, CallError> {
        let view = self.state.view();
        let tool = self.found.find(&view, &invocation)?;
        let (call, calling) = InstalledCall::new(tool, view, invocation);
        run_wasm_plugin(self, ModuleSource::Installed(call), calling).await?.of_tool()
    }

    /// Runs a module that comes with the call, where the policy allows it.
    pub async fn call_inline(&self, invocation: InlineInvocation) -> Result<ToolResult, CallError> {
        let policy = self.state.view().plugins().policy.value.clone();
        let parted = resolve::blocking(move || Ok::<_, CallError>(InlineCall::new(invocation, &policy)));
        let (call, calling) = parted.await?;
        run_wasm_plugin(self, ModuleSource::Inline(call), calling).await?.of_tool()
    }

    /// Asks a component what it is, once for each payload and with nothing granted; what differs quarantines.
    pub async fn describe(&self, skill_id: &str) -> Result<(), CallError> {
        let record = self.state.record(skill_id)?;
        let skill = resolve::verified(self, &record).await?;
        resolve::check_description(self, &record, &skill, None).await
    }
}

/// Compiled code below the state root; a file that is not as it was left is told to the journal.
fn disk_cache(state: &Arc<State>) -> DiskCacheConfig {
    let journal = Arc::clone(state);
    DiskCacheConfig {
        directory: state.root().path().join("cache").join("code"),
        key: *state.keeper.vault.derive_key("palyra-state: compiled code v1"),
        on_event: Some(Arc::new(move |event| {
            let details = serde_json::json!({ "file": event.file, "detail": event.detail });
            let event = journal.event(palyra_journal::EventKind::StateCacheDiscarded, OWNER).details(details);
            drop(journal.journal.append(event));
        })),
    }
}

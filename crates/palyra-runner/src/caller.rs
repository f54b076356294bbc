//! Who carries calls out: the sandbox over an open state, its caches, and room for runs.

use std::sync::Arc;

use palyra_common::RuntimeLimits;
use palyra_common::principal::OWNER;
use palyra_common::tally::{CacheCount, CacheTally};
use palyra_egress::EgressGuard;
use palyra_journal::{EventKind, NewEvent};
use palyra_plugins_runtime::{Compiler, DiskCacheConfig, HostServices, RuntimeConfig, WasmRuntime};
use palyra_state::storage::StorageDatabase;
use palyra_state::{State, StateError};

use super::find::FoundTools;
use super::permits::{CallPermits, QUEUE_TIME};
use super::resolve::{self, VerifiedCache};
use super::schemas::SchemaCache;
use super::services::{RunChannels, SkillStorage, VaultSecrets};
use super::wasm_plugin_runner::{InlineCall, InstalledCall, ModuleSource, run_wasm_plugin};
use super::{CallError, InlineInvocation, ToolInvocation, ToolResult};

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

/// Calls tools of installed skills.
pub struct ToolCaller {
    pub(crate) state: Arc<State>,
    pub(crate) runtime: WasmRuntime,
    pub(crate) schemas: SchemaCache,
    pub(crate) verified: VerifiedCache,
    pub(crate) found: FoundTools,
    pub(crate) hooks: FoundTools,
    pub(crate) ready_tally: CacheTally,
    pub(crate) permits: CallPermits,
    max_concurrent_runs: u32,
}

impl ToolCaller {
    /// Starts the sandbox over an open state.
    pub fn new(state: Arc<State>, config: CallerConfig) -> Result<Self, StateError> {
        let storage = StorageDatabase::open(&state.root().storage())?;
        let channels = RunChannels::new(Arc::clone(&state));
        let vault = Arc::clone(state.vault());
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
                on_line: Some(state.run_registry().on_line()),
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
        key: *state.vault().derive_key("palyra-state: compiled code v1"),
        on_event: Some(Arc::new(move |event| {
            let details = serde_json::json!({ "file": event.file, "detail": event.detail });
            let event = NewEvent::new(EventKind::StateCacheDiscarded, journal.now_ms()).actor(OWNER);
            drop(journal.journal().append(event.details(details)));
        })),
    }
}

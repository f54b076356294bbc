//! The entry of the call pipeline: the sandbox over an open state, with its caches and its limit on concurrent runs.

use std::sync::Arc;
use std::time::Duration;

use palyra_common::RuntimeLimits;
use palyra_common::principal::OWNER;
use palyra_common::tally::{CacheCount, CacheTally};
use palyra_egress::EgressGuard;
use palyra_journal::{EventKind, NewEvent};
use palyra_plugins_runtime::{Compiler, DiskCacheConfig, HostServices, RuntimeConfig, WasmRuntime};
use palyra_state::storage::StorageDatabase;
use palyra_state::{State, StateError};

use super::code::{ReleaseModules, code_directory};
use super::find::FoundTools;
use super::resolve::{self, CodeWait, MAX_VERIFIED, VerifiedCache};
use super::schemas::SchemaCache;
use super::services::{RunChannels, SkillStorage, VaultSecrets};
use super::wasm_plugin_runner::{InlineCall, InstalledCall, ModuleSource, run_wasm_plugin};
use super::{CallError, InlineInvocation, ToolInvocation, ToolResult};

/// Configuration of calls, set once per process.
pub struct CallerConfig {
    /// Compiles modules, in this process or in another one.
    pub compiler: Arc<dyn Compiler>,
    /// True to store compiled code below the state root for later processes.
    pub keep_compiled_code: bool,
    /// Guard for outgoing requests; `None` rejects every request as unavailable.
    pub egress: Option<EgressGuard>,
    /// Upper bound for the limits of every run.
    pub ceiling: Option<RuntimeLimits>,
    /// Maximum number of concurrent runs.
    pub max_concurrent_runs: u32,
    /// Maximum wait for a free place before a call fails as `busy`.
    pub queue_time: Duration,
}

/// Calls tools of installed skills. Created once per process.
pub struct ToolCaller {
    pub(crate) state: Arc<State>,
    pub(crate) runtime: WasmRuntime,
    pub(crate) schemas: SchemaCache,
    pub(crate) verified: VerifiedCache,
    pub(crate) modules: Arc<ReleaseModules>,
    pub(crate) found: FoundTools,
    pub(crate) hooks: FoundTools,
    pub(crate) ready_tally: CacheTally,
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
            queue_timeout: config.queue_time,
            compiler: config.compiler,
            disk_cache: config.keep_compiled_code.then(|| disk_cache(&state)),
            tape_key: *vault.derive_key("palyra-state: secrets on tapes v1"),
            services: HostServices {
                storage: Arc::new(SkillStorage::new(Arc::new(storage))),
                secrets: Arc::new(VaultSecrets(vault)),
                channels: Arc::new(channels),
                egress: config.egress,
                on_line: Some(state.runs().registry().on_line()),
            },
            ..RuntimeConfig::default()
        });
        let runtime = runtime.map_err(StateError::record("read", "the sandbox"))?;
        let code = config.keep_compiled_code.then(|| code_directory(&state));
        Ok(Self {
            state,
            runtime,
            schemas: SchemaCache::default(),
            verified: VerifiedCache::new(MAX_VERIFIED),
            modules: Arc::new(ReleaseModules::new(code)),
            found: FoundTools::default(),
            hooks: FoundTools::default(),
            ready_tally: CacheTally::default(),
        })
    }

    /// Returns hits and misses of each cache, by name.
    pub fn cache_counts(&self) -> Vec<(&'static str, CacheCount)> {
        let of_calls = [
            ("tool", self.found.count() + self.hooks.count()),
            ("ready_tool", self.ready_tally.count()),
            ("schema", self.schemas.kept.count()),
            ("verified_skill", self.verified.count()),
        ];
        of_calls.into_iter().chain(self.runtime.cache_counts()).collect()
    }

    /// Returns the number of calls that wait for a place, and the number of those with a place that wait for memory.
    pub fn waiting(&self) -> (usize, usize) {
        self.runtime.waiting()
    }

    /// Calls a tool of an installed skill. A started run has a receipt, and a rejected call is recorded in the journal.
    pub async fn call(&self, invocation: ToolInvocation) -> Result<ToolResult, CallError> {
        let view = self.state.view();
        let tool = self.found.find(&view, &invocation)?;
        let (call, calling) = InstalledCall::new(tool, view, invocation);
        run_wasm_plugin(self, ModuleSource::Installed(call), calling).await?.of_tool()
    }

    /// Runs an inline module, if the runner policy permits it.
    pub async fn call_inline(&self, invocation: InlineInvocation) -> Result<ToolResult, CallError> {
        let policy = self.state.view().plugins().policy.value.clone();
        let parted = resolve::blocking(move || Ok::<_, CallError>(InlineCall::new(invocation, &policy)));
        let (call, calling) = parted.await?;
        run_wasm_plugin(self, ModuleSource::Inline(call), calling).await?.of_tool()
    }

    /// Compiles every module of the current release, also those that exceeded a compiler limit before, and compares
    /// their descriptions with the manifest. A release with differences is quarantined.
    pub async fn prepare(&self, skill_id: &str) -> Result<(), CallError> {
        let record = self.state.skills().record(skill_id)?;
        let skill = resolve::verified(self, &record).await?;
        resolve::compile(self, &skill).await?;
        resolve::check_description(self, &record, &skill, &mut CodeWait::default()).await
    }
}

/// Configures compiled code below the state root; a modified file is discarded and recorded in the journal.
fn disk_cache(state: &Arc<State>) -> DiskCacheConfig {
    let journal = Arc::clone(state);
    DiskCacheConfig {
        directory: code_directory(state),
        key: *state.vault().derive_key("palyra-state: compiled code v1"),
        on_event: Some(Arc::new(move |event| {
            let details = serde_json::json!({ "file": event.file, "detail": event.detail });
            let event = NewEvent::new(EventKind::StateCacheDiscarded, journal.now_ms()).actor(OWNER);
            drop(journal.journal().append(event.details(details)));
        })),
    }
}

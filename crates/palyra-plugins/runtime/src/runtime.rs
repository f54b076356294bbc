//! `WasmRuntime`: engines, caches and permits that all runs share.

use crate::backends::HostServices;
use crate::cache::DiskCache;
use crate::code_state::CodeState;
use crate::config::RuntimeConfig;
use crate::engine::{EngineClass, Engines, engine_fingerprint};
use crate::invocation::{CancelToken, Invocation};
use crate::loader::{LoadRequest, ModuleLoader};
use crate::module::LoadedModule;
use crate::permits::{Permits, RunPlace};
use crate::report::RunReport;
use crate::ticker::Ticker;
use palyra_common::tally::CacheCount;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use std::sync::Arc;

/// Loads modules and runs them, with shared engines, one ticker and a new instance for every call.
pub struct WasmRuntime {
    pub(crate) config: RuntimeConfig,
    /// The services of the configuration, shared by all runs.
    pub(crate) services: Arc<HostServices>,
    pub(crate) fingerprint: Arc<str>,
    pub(crate) permits: Permits,
    pub(crate) ticker: Ticker,
    loader: Arc<ModuleLoader>,
}

/// Why a runtime cannot start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum RuntimeStartError {
    /// The engine refuses its settings, or the system refuses the memory for its pools.
    #[error("cannot start the engine: {0}")]
    Engine(String),
    /// The ticker has no thread.
    #[error("cannot start the epoch clock: {0}")]
    Ticker(std::io::Error),
    /// The directory of compiled code cannot be used.
    #[error("cannot store compiled code in `{}`: {source}", directory.display())]
    DiskCache { directory: std::path::PathBuf, source: std::io::Error },
}

impl WasmRuntime {
    /// Creates the engines and linkers, and starts the ticker.
    ///
    /// # Errors
    ///
    /// If the engine refuses its settings, the thread cannot start, or the directory of compiled code cannot be used.
    pub fn new(config: RuntimeConfig) -> Result<Self, RuntimeStartError> {
        let engine = |error: wasmtime::Error| RuntimeStartError::Engine(format!("{error:#}"));
        let engines = Engines::new(&config).map_err(engine)?;
        let fingerprint = engine_fingerprint(&engines.keep);
        let disk = config.disk_cache.clone().map(|disk| open_cache(disk, &fingerprint)).transpose()?;
        Ok(Self {
            permits: Permits::new(&config),
            ticker: Ticker::start([&engines.keep, &engines.general]).map_err(RuntimeStartError::Ticker)?,
            services: Arc::new(config.services.clone()),
            fingerprint: fingerprint.into(),
            loader: Arc::new(ModuleLoader::new(&config, engines, disk).map_err(engine)?),
            config,
        })
    }

    /// Loads a module without a time limit.
    pub async fn load(&self, bytes: &[u8]) -> Result<Arc<LoadedModule>, WasmPluginRunError> {
        self.load_for(bytes, LoadRequest::default()).await
    }

    /// Loads a module: from memory, from the disk cache, or by compiling it.
    ///
    /// Concurrent calls for the same bytes compile once. A compilation continues without a waiting caller.
    ///
    /// # Errors
    ///
    /// If the module is invalid or exceeds a limit, or if the time of the request passes during its compilation
    /// (`busy`).
    pub async fn load_for(
        &self,
        bytes: &[u8],
        request: LoadRequest<'_>,
    ) -> Result<Arc<LoadedModule>, WasmPluginRunError> {
        self.loader.load(bytes, request).await
    }

    /// Returns the state of a module's code, without loading it. Reads the disk, so calls should not use it.
    pub fn code_state(&self, sha256: &[u8; 32]) -> CodeState {
        self.loader.code_state(sha256)
    }

    /// Removes a module from memory. Runs in progress are not affected.
    pub fn evict(&self, sha256: &[u8; 32]) {
        self.loader.evict(sha256);
    }

    /// Permits another compilation of a module that exceeded a compile limit.
    pub fn allow_recompile(&self, sha256: &[u8; 32]) {
        self.loader.allow_recompile(sha256);
    }

    /// Waits for a slot among the concurrent runs, before anything about the run is recorded.
    ///
    /// A single owner, such as a skill, never gets all slots. Without a slot in time, this fails as `busy`.
    pub async fn admit(&self, owner: &str, cancel: &CancelToken) -> Result<RunPlace, WasmPluginRunError> {
        self.permits.admit(owner, cancel).await
    }

    /// Runs a module once, as soon as there is a slot. The report contains everything that happened.
    pub async fn invoke(&self, module: &LoadedModule, invocation: Invocation) -> RunReport {
        crate::execute::execute(self, module, invocation, None).await
    }

    /// Runs a module once, in a slot that was obtained before.
    pub async fn invoke_in(
        &self,
        place: &RunPlace,
        module: &LoadedModule,
        invocation: Invocation,
    ) -> RunReport {
        crate::execute::execute(self, module, invocation, Some(place)).await
    }

    /// Returns how often modules were found in memory, and how often their compiled code was found on disk.
    pub fn cache_counts(&self) -> [(&'static str, CacheCount); 2] {
        [("module", self.loader.module_tally.count()), ("compiled_code", self.loader.code_tally.count())]
    }

    /// Returns how many runs wait for a place, and how many wait for memory.
    pub fn waiting(&self) -> (usize, usize) {
        (self.permits.waiting_for_place.count(), self.permits.waiting_for_memory.count())
    }

    /// Returns the name of the engine and its settings; see [`engine_fingerprint`](crate::engine_fingerprint).
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the engine of a class, for benchmarks that compare with the bare engine.
    pub fn engine(&self, class: EngineClass) -> &wasmtime::Engine {
        self.loader.engines.get(class)
    }

    pub(crate) fn limits_for(&self, invocation: &Invocation) -> RuntimeLimits {
        invocation.limits.capped_by(&self.config.ceiling)
    }
}

fn open_cache(
    config: crate::cache::DiskCacheConfig,
    fingerprint: &str,
) -> Result<DiskCache, RuntimeStartError> {
    let directory = config.directory.clone();
    DiskCache::open(config, fingerprint).map_err(|source| RuntimeStartError::DiskCache { directory, source })
}

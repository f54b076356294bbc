//! `WasmRuntime`: engines, caches and permits that all runs share.

use crate::backends::HostServices;
use crate::cache::DiskCache;
use crate::compile::CompileFailure;
use crate::compiled::{CodeBuffer, TrustedCode, load};
use crate::config::RuntimeConfig;
use crate::engine::{EngineClass, Engines, engine_fingerprint};
use crate::invocation::Invocation;
use crate::module::{Linkers, LoadedModule, ModuleKind};
use crate::permits::Permits;
use crate::report::{ModuleOrigin, RunReport};
use crate::shape::inspect_module;
use crate::ticker::Ticker;
use palyra_common::tally::{CacheCount, CacheTally};
use palyra_common::{LimitKind, RuntimeLimits, WasmPluginRunError};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::OnceCell;

/// Loads modules and runs them. Shared engines, one ticker, a fresh instance for every call.
pub struct WasmRuntime {
    pub(crate) config: RuntimeConfig,
    /// The services of the configuration, shared by all runs.
    pub(crate) services: Arc<HostServices>,
    pub(crate) fingerprint: Arc<str>,
    pub(crate) permits: Permits,
    pub(crate) ticker: Ticker,
    engines: Engines,
    keep_linkers: Linkers,
    general_linkers: Linkers,
    disk: Option<Arc<DiskCache>>,
    modules: Mutex<ModuleCache>,
    module_tally: CacheTally,
    code_tally: CacheTally,
}

/// Why a runtime cannot start.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeStartError {
    /// The engine refuses its settings, or the system refuses the memory for its pools.
    #[error("the engine cannot start: {0}")]
    Engine(String),
    /// The ticker has no thread.
    #[error("the clock of the runs cannot start: {0}")]
    Ticker(std::io::Error),
    /// The directory of compiled code cannot be used.
    #[error("compiled code cannot be kept in `{}`: {source}", directory.display())]
    DiskCache {
        /// The directory.
        directory: std::path::PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl WasmRuntime {
    /// Starts engines, linkers and the ticker.
    pub fn new(config: RuntimeConfig) -> Result<Self, RuntimeStartError> {
        let engine = |error: wasmtime::Error| RuntimeStartError::Engine(format!("{error:#}"));
        let engines = Engines::new(&config).map_err(engine)?;
        let fingerprint = engine_fingerprint(&engines.keep);
        let disk = config.disk_cache.clone().map(|disk| open_cache(disk, &fingerprint)).transpose()?;
        Ok(Self {
            permits: Permits::new(&config),
            ticker: Ticker::start([&engines.keep, &engines.general]).map_err(RuntimeStartError::Ticker)?,
            keep_linkers: Linkers::new(&engines.keep).map_err(engine)?,
            general_linkers: Linkers::new(&engines.general).map_err(engine)?,
            disk: disk.map(Arc::new),
            modules: Mutex::default(),
            module_tally: CacheTally::default(),
            code_tally: CacheTally::default(),
            services: Arc::new(config.services.clone()),
            fingerprint: fingerprint.into(),
            engines,
            config,
        })
    }

    /// Makes a module ready: from memory, from the disk cache, or by compiling it.
    ///
    /// Two calls for the same bytes at once compile once.
    pub async fn load(&self, bytes: &[u8]) -> Result<Arc<LoadedModule>, WasmPluginRunError> {
        let length = bytes.len() as u64;
        if length > self.config.max_module_bytes {
            let reason = format!("it has {length} bytes, more than {}", self.config.max_module_bytes);
            return Err(WasmPluginRunError::invalid_module(reason));
        }
        let module = bytes::Bytes::copy_from_slice(bytes);
        let sha256: [u8; 32] = {
            let module = module.clone();
            off_the_worker(bytes.len(), move || Sha256::digest(&module).into()).await?
        };
        let slot = self.modules().slot(sha256, self.config.max_cached_modules)?;
        self.module_tally.note(slot.initialized());
        let loaded = slot.get_or_try_init(|| self.load_cold(sha256, module)).await;
        if loaded.is_err() {
            self.modules().forget(&sha256);
        }
        loaded.cloned()
    }

    /// Drops a module from memory; runs under way keep theirs.
    pub fn evict(&self, sha256: &[u8; 32]) {
        self.modules().forget(sha256);
    }

    /// Lets a payload that went over the compile limit be tried again.
    pub fn allow_recompile(&self, sha256: &[u8; 32]) {
        self.modules().over_limit.remove(sha256);
    }

    /// Runs a module once. Everything that happened is in the report.
    pub async fn invoke(&self, module: &LoadedModule, invocation: Invocation) -> RunReport {
        crate::execute::execute(self, module, invocation).await
    }

    /// How often a module was found in memory, and how often its compiled code was found on disk.
    pub fn cache_counts(&self) -> [(&'static str, CacheCount); 2] {
        [("module", self.module_tally.count()), ("compiled_code", self.code_tally.count())]
    }

    /// How many runs wait for room.
    pub fn waiting(&self) -> usize {
        self.permits.waiting.count()
    }

    /// The name of the engine and its settings.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The engine of a class, for benchmarks that compare with the bare engine.
    pub fn engine(&self, class: EngineClass) -> &wasmtime::Engine {
        self.engines.get(class)
    }

    pub(crate) fn limits_for(&self, invocation: &Invocation) -> RuntimeLimits {
        invocation.limits.capped_by(&self.config.ceiling)
    }

    async fn load_cold(
        &self,
        sha256: [u8; 32],
        module: bytes::Bytes,
    ) -> Result<Arc<LoadedModule>, WasmPluginRunError> {
        let started = Instant::now();
        let length = module.len();
        let shape = {
            let module = module.clone();
            off_the_worker(length, move || inspect_module(&module)).await??
        };
        shape.check(&self.config.ceiling)?;
        shape.check_pool()?;
        let class = EngineClass::of(shape.initial_memory_bytes, length);
        let (code, origin) = self.code(sha256, shape.kind, module).await?;
        let linkers = match class {
            EngineClass::Keep => &self.keep_linkers,
            EngineClass::General => &self.general_linkers,
        };
        let internal = |error: wasmtime::Error| WasmPluginRunError::Internal(format!("{error:#}"));
        let loaded = load(self.engines.get(class), shape.kind, &code).map_err(internal)?;
        let linked = linkers.link(loaded, &shape)?;
        Ok(Arc::new(LoadedModule {
            sha256,
            sha256_hex: hex::encode(sha256).into(),
            uses_wasi: shape.imports.iter().any(|import| import.starts_with("wasi:")),
            shape,
            class,
            linked,
            origin,
            load_time: started.elapsed(),
        }))
    }

    async fn code(
        &self,
        sha256: [u8; 32],
        kind: ModuleKind,
        module: bytes::Bytes,
    ) -> Result<(TrustedCode, ModuleOrigin), WasmPluginRunError> {
        if let Some(disk) = self.disk.clone() {
            let found = off_the_worker(usize::MAX, move || disk.load(&sha256, kind)).await?;
            self.code_tally.note(found.is_some());
            if let Some(code) = found {
                return Ok((code, ModuleOrigin::DiskCache));
            }
        }
        let compiled =
            self.config.compiler.compile(module, kind).await.inspect_err(|failure: &CompileFailure| {
                if failure.is_limit() {
                    self.modules().over_limit.insert(sha256);
                }
            })?;
        let disk = self.disk.clone();
        let code = off_the_worker(usize::MAX, move || {
            if let Some(disk) = disk {
                disk.store(&sha256, kind, &compiled.0);
            }
            let mut buffer = CodeBuffer::new()?;
            buffer.write(&compiled.0)?;
            buffer.seal_checked()
        });
        let code =
            code.await?.map_err(|error: std::io::Error| WasmPluginRunError::Internal(error.to_string()))?;
        Ok((code, ModuleOrigin::Compiled))
    }

    fn modules(&self) -> std::sync::MutexGuard<'_, ModuleCache> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open_cache(
    config: crate::cache::DiskCacheConfig,
    fingerprint: &str,
) -> Result<DiskCache, RuntimeStartError> {
    let directory = config.directory.clone();
    DiskCache::open(config, fingerprint).map_err(|source| RuntimeStartError::DiskCache { directory, source })
}

/// Work from this many bytes on is done beside the async workers.
const LONG_WORK_BYTES: usize = 256 << 10;

async fn off_the_worker<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, WasmPluginRunError> {
    if bytes < LONG_WORK_BYTES {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work).await.map_err(|error| WasmPluginRunError::Internal(error.to_string()))
}

type Slot = Arc<OnceCell<Arc<LoadedModule>>>;

/// Loaded modules by digest, oldest out first.
#[derive(Default)]
struct ModuleCache {
    slots: HashMap<[u8; 32], Slot>,
    order: VecDeque<[u8; 32]>,
    /// Payloads that went over the compile limit: not tried again until somebody asks.
    over_limit: HashSet<[u8; 32]>,
}

impl ModuleCache {
    fn slot(&mut self, sha256: [u8; 32], capacity: usize) -> Result<Slot, WasmPluginRunError> {
        if self.over_limit.contains(&sha256) {
            let allowed = palyra_common::limits::COMPILE_TIMEOUT_MS;
            return Err(WasmPluginRunError::QuotaExceeded {
                limit: LimitKind::Compile,
                allowed,
                used: allowed,
            });
        }
        if let Some(slot) = self.slots.get(&sha256) {
            return Ok(Arc::clone(slot));
        }
        while self.order.len() >= capacity.max(1) {
            if let Some(oldest) = self.order.pop_front() {
                self.slots.remove(&oldest);
            }
        }
        self.order.push_back(sha256);
        Ok(Arc::clone(self.slots.entry(sha256).or_default()))
    }

    fn forget(&mut self, sha256: &[u8; 32]) {
        self.slots.remove(sha256);
        self.order.retain(|other| other != sha256);
    }
}

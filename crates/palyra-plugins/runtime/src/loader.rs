//! Loads modules: from memory, from the disk cache, or by compiling them.

use crate::cache::DiskCache;
use crate::code_state::CodeState;
use crate::compile::{CompileFailure, CompileLedger, CompilePermit, CompileQueue, CompiledBytes};
use crate::compiled::{CodeBuffer, TrustedCode, load};
use crate::config::RuntimeConfig;
use crate::engine::{EngineClass, Engines};
use crate::module::{Linkers, LoadedModule};
use crate::report::ModuleOrigin;
use crate::shape::{ModuleShape, inspect_module};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use hashlink::LruCache;
use palyra_common::WasmPluginRunError;
use palyra_common::tally::CacheTally;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::OnceCell;

/// Work from this many bytes on is done beside the async workers.
const LONG_WORK_BYTES: usize = 256 << 10;

/// The owner of a module load, and its limit on waiting for a compilation.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadRequest<'a> {
    /// The skill, or the caller of a module sent with its call; compilations are scheduled fairly between owners.
    pub owner: &'a str,
    /// When to stop waiting; the result is then `busy` with the reason `compiling`.
    pub until: Option<Instant>,
}

type Loaded = Result<Arc<LoadedModule>, WasmPluginRunError>;
type Compiling = Shared<BoxFuture<'static, Loaded>>;

/// The engines, their linkers and the modules loaded with them.
pub(crate) struct ModuleLoader {
    pub(crate) engines: Engines,
    pub(crate) module_tally: CacheTally,
    pub(crate) code_tally: CacheTally,
    keep_linkers: Linkers,
    general_linkers: Linkers,
    disk: Option<Arc<DiskCache>>,
    config: RuntimeConfig,
    queue: CompileQueue,
    modules: Mutex<ModuleCache>,
    ledger: Mutex<CompileLedger>,
    /// Compilations in progress; they continue without a waiting caller.
    compiling: Mutex<HashMap<[u8; 32], Compiling>>,
}

/// A module that has no code yet.
struct Cold {
    sha256: [u8; 32],
    module: bytes::Bytes,
    shape: ModuleShape,
    started: Instant,
}

impl ModuleLoader {
    pub(crate) fn new(
        config: &RuntimeConfig,
        engines: Engines,
        disk: Option<DiskCache>,
    ) -> wasmtime::Result<Self> {
        Ok(Self {
            keep_linkers: Linkers::new(&engines.keep)?,
            general_linkers: Linkers::new(&engines.general)?,
            engines,
            disk: disk.map(Arc::new),
            config: config.clone(),
            queue: CompileQueue::default(),
            modules: Mutex::new(ModuleCache::new(config.max_cached_modules)),
            module_tally: CacheTally::default(),
            code_tally: CacheTally::default(),
            ledger: Mutex::default(),
            compiling: Mutex::default(),
        })
    }

    /// Loads a module. Concurrent calls for the same bytes compile once.
    pub(crate) async fn load(self: &Arc<Self>, bytes: &[u8], request: LoadRequest<'_>) -> Loaded {
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
        let slot = self.modules.lock().slot(sha256);
        self.module_tally.note(slot.initialized());
        let loading = slot.get_or_try_init(|| self.load_cold(sha256, module, request.owner));
        let loaded = match request.until {
            None => loading.await,
            Some(until) => tokio::time::timeout_at(until.into(), loading)
                .await
                .unwrap_or(Err(WasmPluginRunError::Busy { reason: "compiling" })),
        };
        let mut modules = self.modules.lock();
        match loaded {
            Ok(loaded) => modules.loaded(&sha256, loaded.code_bytes, self.config.max_cached_code_bytes),
            Err(_) => modules.forget_empty(&sha256),
        }
        drop(modules);
        loaded.cloned()
    }

    pub(crate) fn evict(&self, sha256: &[u8; 32]) {
        self.modules.lock().forget(sha256);
    }

    pub(crate) fn allow_recompile(&self, sha256: &[u8; 32]) {
        self.ledger.lock().forget(sha256);
    }

    /// Returns the state of a module's code, without loading it.
    pub(crate) fn code_state(&self, sha256: &[u8; 32]) -> CodeState {
        // A slot that only the cache holds belongs to a caller that was dropped.
        let (loaded, loading) = match self.modules.lock().slots.peek(sha256) {
            Some((slot, _)) => (slot.initialized(), Arc::strong_count(slot) > 1),
            None => (false, false),
        };
        if loaded || self.disk.as_ref().is_some_and(|disk| disk.has(sha256)) {
            return CodeState::Ready;
        }
        if loading || self.under_way(sha256).is_some() {
            return CodeState::Compiling;
        }
        match self.ledger.lock().failure(sha256) {
            Some(failure) => CodeState::Failed(failure.clone().into()),
            None => CodeState::NotCompiled,
        }
    }

    async fn load_cold(self: &Arc<Self>, sha256: [u8; 32], module: bytes::Bytes, owner: &str) -> Loaded {
        let started = Instant::now();
        self.ledger.lock().check(&sha256)?;
        if let Some(compiling) = self.under_way(&sha256) {
            return compiling.await;
        }
        let shape = {
            let module = module.clone();
            off_the_worker(module.len(), move || inspect_module(&module)).await??
        };
        shape.check(&self.config.ceiling)?;
        shape.check_pool()?;
        let cold = Cold { sha256, module, shape, started };
        if let Some(disk) = self.disk.clone() {
            let kind = cold.shape.kind;
            let found = off_the_worker(usize::MAX, move || disk.load(&sha256, kind)).await?;
            self.code_tally.note(found.is_some());
            if let Some(code) = found {
                return self.link(cold, &code, ModuleOrigin::DiskCache);
            }
        }
        let permit = self.queue.admit(owner, cold.module.len()).await?;
        self.start(cold, permit).await
    }

    fn under_way(&self, sha256: &[u8; 32]) -> Option<Compiling> {
        self.compiling.lock().get(sha256).cloned()
    }

    /// Compiles in a separate task, which continues when the caller disconnects.
    fn start(self: &Arc<Self>, cold: Cold, permit: CompilePermit) -> Compiling {
        let mut compiling = self.compiling.lock();
        if let Some(running) = compiling.get(&cold.sha256) {
            return running.clone();
        }
        let (loader, sha256) = (Arc::clone(self), cold.sha256);
        let task = tokio::spawn(async move {
            let loaded = loader.compile(cold).await;
            if let Ok(loaded) = &loaded {
                loader.modules.lock().keep(sha256, loaded, &loader.config);
            }
            loader.compiling.lock().remove(&sha256);
            drop(permit);
            loaded
        });
        let ended = async move {
            task.await.unwrap_or_else(|error| Err(WasmPluginRunError::Internal(error.to_string())))
        };
        let running = ended.boxed().shared();
        compiling.insert(sha256, running.clone());
        running
    }

    async fn compile(&self, cold: Cold) -> Loaded {
        let (sha256, kind) = (cold.sha256, cold.shape.kind);
        let began = Instant::now();
        let compiled = self.config.compiler.compile(cold.module.clone(), kind).await;
        let CompiledBytes(compiled) = compiled.inspect_err(|failure: &CompileFailure| {
            self.ledger.lock().failed(sha256, began.elapsed(), failure.clone());
        })?;
        self.ledger.lock().forget(&sha256);
        let disk = self.disk.clone();
        let code = off_the_worker(usize::MAX, move || {
            if let Some(disk) = disk {
                disk.store(&sha256, kind, &compiled);
            }
            let mut buffer = CodeBuffer::new()?;
            buffer.write(&compiled)?;
            buffer.seal_checked()
        });
        let code =
            code.await?.map_err(|error: std::io::Error| WasmPluginRunError::Internal(error.to_string()))?;
        self.link(cold, &code, ModuleOrigin::Compiled)
    }

    fn link(&self, cold: Cold, code: &TrustedCode, origin: ModuleOrigin) -> Loaded {
        let Cold { sha256, module, shape, started } = cold;
        let class = EngineClass::of(shape.initial_memory_bytes, module.len());
        let linkers = match class {
            EngineClass::Keep => &self.keep_linkers,
            EngineClass::General => &self.general_linkers,
        };
        let internal = |error: wasmtime::Error| WasmPluginRunError::Internal(format!("{error:#}"));
        let loaded = load(self.engines.get(class), shape.kind, code).map_err(internal)?;
        let linked = linkers.link(loaded, &shape)?;
        Ok(Arc::new(LoadedModule {
            sha256,
            sha256_hex: hex::encode(sha256).into(),
            uses_wasi: shape.imports.iter().any(|import| import.starts_with("wasi:")),
            code_bytes: code.bytes(),
            shape,
            class,
            linked,
            origin,
            load_time: started.elapsed(),
        }))
    }
}

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

/// Loaded modules by digest, the one not used for the longest out first; bounded by number and by the size of their
/// code.
struct ModuleCache {
    slots: LruCache<[u8; 32], (Slot, u64)>,
    code_bytes: u64,
}

impl ModuleCache {
    fn new(most: usize) -> Self {
        // The limit is enforced by `slot`, so that evicted code is counted.
        Self { slots: LruCache::new(most.max(1)), code_bytes: 0 }
    }

    fn slot(&mut self, sha256: [u8; 32]) -> Slot {
        if let Some((slot, _)) = self.slots.get(&sha256) {
            return Arc::clone(slot);
        }
        while self.slots.len() >= self.slots.capacity() {
            self.forget_oldest();
        }
        let slot = Slot::default();
        self.slots.insert(sha256, (Arc::clone(&slot), 0));
        slot
    }

    /// Counts the code of a filled slot and evicts others above the limit.
    fn loaded(&mut self, sha256: &[u8; 32], bytes: u64, most: u64) {
        let Some((_, counted)) = self.slots.get_mut(sha256) else { return };
        self.code_bytes = self.code_bytes.saturating_sub(*counted).saturating_add(bytes);
        *counted = bytes;
        // The most recent module is kept even if it alone exceeds the limit.
        while self.code_bytes > most && self.slots.len() > 1 {
            self.forget_oldest();
        }
    }

    /// Fills the slot of a module whose caller may have been dropped.
    fn keep(&mut self, sha256: [u8; 32], module: &Arc<LoadedModule>, config: &RuntimeConfig) {
        // A caller that waits for this compilation fills it with the same module.
        if self.slot(sha256).set(Arc::clone(module)).is_ok() {
            self.loaded(&sha256, module.code_bytes, config.max_cached_code_bytes);
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, (_, bytes))) = self.slots.remove_lru() {
            self.code_bytes = self.code_bytes.saturating_sub(bytes);
        }
    }

    fn forget(&mut self, sha256: &[u8; 32]) {
        if let Some((_, bytes)) = self.slots.remove(sha256) {
            self.code_bytes = self.code_bytes.saturating_sub(bytes);
        }
    }

    /// Removes a slot that is empty and has no waiting caller.
    fn forget_empty(&mut self, sha256: &[u8; 32]) {
        let unused = |(slot, _): &(Slot, u64)| !slot.initialized() && Arc::strong_count(slot) <= 2;
        if self.slots.peek(sha256).is_some_and(unused) {
            self.forget(sha256);
        }
    }
}

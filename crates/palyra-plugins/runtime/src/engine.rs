//! Two engines over one compiled artifact, and the settings they share.
//!
//! The pool determines the cost of a new instance: guests with little memory are reset by `memset`
//! (no page fault, no system call), the rest by batched decommit. `pagemap_scan` stays off: in this
//! engine line it can show one guest's memory to the next.

use crate::config::RuntimeConfig;
use palyra_common::limits::MAX_STACK_BYTES;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, WasmFeatures};

/// Initial memory up to which a guest is reset by `memset`.
const KEEP_BYTES: u64 = 512 << 10;
/// Like `KEEP_BYTES`, for interpreters: their code touches most of their memory in every call.
const KEEP_INTERPRETER_BYTES: u64 = 4 << 20;
/// Code size from which a guest with little memory counts as an interpreter.
const INTERPRETER_CODE_BYTES: usize = 512 << 10;

/// The pool that a module runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineClass {
    /// Reset by `memset`, slots stay resident.
    Keep,
    /// Reset by batched decommit.
    General,
}

impl EngineClass {
    /// Chooses by declared initial memory, and for interpreters by the size of their code.
    pub fn of(initial_memory_bytes: u64, module_bytes: usize) -> Self {
        let interpreter =
            module_bytes >= INTERPRETER_CODE_BYTES && initial_memory_bytes <= KEEP_INTERPRETER_BYTES;
        if initial_memory_bytes <= KEEP_BYTES || interpreter { Self::Keep } else { Self::General }
    }
}

/// The engines of one runtime.
pub(crate) struct Engines {
    pub(crate) keep: Engine,
    pub(crate) general: Engine,
}

impl Engines {
    pub(crate) fn new(config: &RuntimeConfig) -> wasmtime::Result<Self> {
        Ok(Self {
            keep: Engine::new(&pooled(config, EngineClass::Keep))?,
            general: Engine::new(&pooled(config, EngineClass::General))?,
        })
    }

    pub(crate) fn get(&self, class: EngineClass) -> &Engine {
        match class {
            EngineClass::Keep => &self.keep,
            EngineClass::General => &self.general,
        }
    }
}

/// Returns the settings that compiled code depends on; the compiling child uses the same.
pub(crate) fn code_config() -> Config {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        // Built without a collector, the engine still accepts subtypes of functions, and comparing two of them
        // at run time ends the whole process.
        .wasm_features(WasmFeatures::GC, false)
        .wasm_memory64(false)
        .wasm_multi_memory(true)
        .wasm_backtrace_max_frames(std::num::NonZeroUsize::new(32))
        // Frames are identified by name; offsets into the module would be a sixth of every artifact.
        .generate_address_map(false)
        .concurrency_support(false)
        .memory_init_cow(true)
        .memory_reservation(4 << 30)
        .memory_guard_size(32 << 20)
        .max_wasm_stack(MAX_STACK_BYTES as usize)
        .async_stack_size((MAX_STACK_BYTES as usize) + (1 << 20));
    config
}

/// Returns a name for the engine and its settings.
///
/// For equal names, compiled code and fuel counts are interchangeable.
pub fn engine_fingerprint(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("wasmtime-48.0.8-{}-{:016x}", std::env::consts::ARCH, hasher.finish())
}

fn pooled(config: &RuntimeConfig, class: EngineClass) -> Config {
    let runs = config.max_concurrent_runs.max(1);
    // A pool for few runs must still hold the largest single one.
    let instances = u32::try_from(config.ceiling.max_instances).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(runs)
        .total_core_instances(runs.saturating_mul(INSTANCES_PER_RUN).max(instances))
        .total_memories(runs.saturating_mul(MEMORIES_PER_RUN).max(MEMORIES_AT_LEAST))
        .total_tables(runs.saturating_mul(TABLES_PER_RUN).max(TABLES_AT_LEAST))
        .total_stacks(runs)
        .max_memory_size(
            usize::try_from(round_to_page(config.ceiling.max_memory_bytes)).unwrap_or(usize::MAX),
        )
        .table_elements(usize::try_from(config.ceiling.max_table_elements).unwrap_or(usize::MAX))
        .max_core_instance_size(8 << 20)
        .max_component_instance_size(8 << 20)
        .max_memories_per_module(MEMORIES_PER_MODULE)
        .max_tables_per_module(TABLES_PER_MODULE)
        .pagemap_scan(Enabled::No);
    match class {
        EngineClass::Keep => pool
            .linear_memory_keep_resident(KEEP_INTERPRETER_BYTES as usize)
            .table_keep_resident(64 << 10)
            .async_stack_keep_resident(64 << 10)
            .decommit_batch_size(1)
            .max_unused_warm_slots(warm_slots(config.warm_memory_bytes)),
        // These slots keep only the mapping of their module, not its pages.
        EngineClass::General => pool.decommit_batch_size(16).max_unused_warm_slots(MAX_WARM_SLOTS),
    };
    let mut out = code_config();
    out.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    out
}

/// Returns the number of slots that stay mapped to the module they last ran, so that calling it again maps nothing.
///
/// Every module beyond that number costs two `mmap` calls in each run. A slot keeps up to
/// `KEEP_INTERPRETER_BYTES` resident, so their number follows from the memory they may keep.
fn warm_slots(memory_bytes: u64) -> u32 {
    let slots = u32::try_from(memory_bytes / KEEP_INTERPRETER_BYTES).unwrap_or(u32::MAX);
    slots.clamp(MIN_WARM_SLOTS, MAX_WARM_SLOTS)
}

const MIN_WARM_SLOTS: u32 = 16;
const MAX_WARM_SLOTS: u32 = 256;
/// Memories one module may declare.
pub(crate) const MEMORIES_PER_MODULE: u32 = 16;
/// Tables one module may declare.
pub(crate) const TABLES_PER_MODULE: u32 = 16;
const INSTANCES_PER_RUN: u32 = 16;
const MEMORIES_PER_RUN: u32 = 8;
const MEMORIES_AT_LEAST: u32 = 64;
const TABLES_PER_RUN: u32 = 16;
const TABLES_AT_LEAST: u32 = 256;

fn round_to_page(bytes: u64) -> u64 {
    bytes.saturating_add(0xffff) & !0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_follows_declared_memory_and_code() {
        assert_eq!(EngineClass::of(256 << 10, 60_000), EngineClass::Keep);
        assert_eq!(EngineClass::of(1_100 << 10, 60_000), EngineClass::General);
        assert_eq!(EngineClass::of(1_500 << 10, 1_100_000), EngineClass::Keep);
        assert_eq!(EngineClass::of(20 << 20, 18_000_000), EngineClass::General);
    }

    #[test]
    fn warm_slots_follow_the_memory_they_may_keep() {
        assert_eq!(warm_slots(0), MIN_WARM_SLOTS);
        assert_eq!(warm_slots(256 << 20), 64);
        assert_eq!(warm_slots(u64::MAX), MAX_WARM_SLOTS);
    }

    #[test]
    fn pools_do_not_change_the_code() {
        let engines =
            Engines::new(&RuntimeConfig { max_concurrent_runs: 2, ..RuntimeConfig::default() }).unwrap();
        let plain = Engine::new(&code_config()).unwrap();
        assert_eq!(engine_fingerprint(&engines.keep), engine_fingerprint(&plain));
        assert_eq!(engine_fingerprint(&engines.general), engine_fingerprint(&plain));
    }
}

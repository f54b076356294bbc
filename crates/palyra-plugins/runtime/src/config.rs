//! The configuration of a runtime, fixed when it starts.

use crate::backends::HostServices;
use crate::cache::DiskCacheConfig;
use crate::compile::{Compiler, InProcessCompiler};
use palyra_common::RuntimeLimits;
use palyra_common::limits::{MAX_MODULE_BYTES, MAX_TAPE_BYTES};
use std::sync::Arc;
use std::time::Duration;

/// Idle slots keep at most this fraction of the machine's memory: one part in 16.
const WARM_MEMORY_SHARE: u64 = 16;
/// Code of loaded modules takes at most this fraction of the machine's memory: one part in 8.
const CODE_MEMORY_SHARE: u64 = 8;

/// The configuration of a [`WasmRuntime`](crate::WasmRuntime).
///
/// The default compiles in process, keeps compiled code in memory only, and has in-memory storage and channels and no
/// secrets.
#[derive(Clone)]
pub struct RuntimeConfig {
    /// Upper bound of the limits of every run. Determines the sizes of the engine's pools.
    pub ceiling: RuntimeLimits,
    /// Maximum size of a module, in bytes.
    pub max_module_bytes: u64,
    /// Maximum number of concurrent runs.
    pub max_concurrent_runs: u32,
    /// Maximum sum of `max_memory_bytes` of concurrent runs, in bytes.
    pub max_total_memory_bytes: u64,
    /// Maximum memory that idle pool slots keep resident, in bytes, so that the next call of the same module is fast.
    pub warm_memory_bytes: u64,
    /// Time that a run waits for a permit before it fails as `busy`.
    pub queue_timeout: Duration,
    /// Maximum number of modules kept ready in memory.
    pub max_cached_modules: usize,
    /// Maximum total size of their code, in bytes. A single module may have more.
    pub max_cached_code_bytes: u64,
    /// Compiles modules that have no cached code.
    pub compiler: Arc<dyn Compiler>,
    /// The directory of compiled code; `None` keeps code in memory only.
    pub disk_cache: Option<DiskCacheConfig>,
    /// The backends of the capabilities.
    pub services: HostServices,
    /// Key of the digests that represent secrets on tapes.
    pub tape_key: [u8; 32],
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            ceiling: RuntimeLimits {
                fuel_budget: u64::MAX >> 1,
                max_memory_bytes: 512 << 20,
                max_table_elements: 1_000_000,
                max_instances: 1_024,
                wall_clock_timeout_ms: 600_000,
                max_input_bytes: 64 << 20,
                max_output_bytes: 64 << 20,
                max_log_bytes: 16 << 20,
                max_host_calls: 100_000,
                max_egress_bytes: 1 << 30,
                max_tape_bytes: MAX_TAPE_BYTES,
            },
            max_module_bytes: MAX_MODULE_BYTES,
            max_concurrent_runs: 256,
            max_total_memory_bytes: 32 << 30,
            warm_memory_bytes: crate::machine::memory_bytes() / WARM_MEMORY_SHARE,
            queue_timeout: Duration::from_secs(5),
            max_cached_modules: 1_024,
            max_cached_code_bytes: crate::machine::memory_bytes() / CODE_MEMORY_SHARE,
            compiler: Arc::new(InProcessCompiler),
            disk_cache: None,
            services: HostServices::default(),
            tape_key: [0; 32],
        }
    }
}

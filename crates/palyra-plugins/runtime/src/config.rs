//! What an operator decides once, when the runtime starts.

use crate::backends::HostServices;
use crate::cache::DiskCacheConfig;
use crate::compile::{Compiler, InProcessCompiler};
use palyra_common::RuntimeLimits;
use palyra_common::limits::{MAX_MODULE_BYTES, MAX_TAPE_BYTES};
use std::sync::Arc;
use std::time::Duration;

/// Idle slots keep at most one part in so many of the machine's memory.
const WARM_MEMORY_SHARE: u64 = 16;
/// Code of loaded modules keeps at most one part in so many of the machine's memory.
const CODE_MEMORY_SHARE: u64 = 8;

/// Settings of a [`WasmRuntime`](crate::WasmRuntime).
///
/// The default compiles in process, keeps compiled code in memory only, and offers in-memory
/// storage, no secrets and in-memory channels.
#[derive(Clone)]
pub struct RuntimeConfig {
    /// No run may have a limit above these; pool sizes follow from them.
    pub ceiling: RuntimeLimits,
    /// Largest module accepted.
    pub max_module_bytes: u64,
    /// Runs that may be in progress at once.
    pub max_concurrent_runs: u32,
    /// Sum of `max_memory_bytes` of the runs that may be in progress at once.
    pub max_total_memory_bytes: u64,
    /// Most memory that idle slots of the pool keep resident, so that the next call of the same module is fast.
    pub warm_memory_bytes: u64,
    /// How long a run waits for a permit before it is `busy`.
    pub queue_timeout: Duration,
    /// Modules kept ready in memory.
    pub max_cached_modules: usize,
    /// Code of these modules together; one module may have more.
    pub max_cached_code_bytes: u64,
    /// The compiler.
    pub compiler: Arc<dyn Compiler>,
    /// Directory of compiled code; `None` keeps it in memory only.
    pub disk_cache: Option<DiskCacheConfig>,
    /// Storage, secrets, channels and the egress guard.
    pub services: HostServices,
    /// Key under which secrets are put on a tape as digests.
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

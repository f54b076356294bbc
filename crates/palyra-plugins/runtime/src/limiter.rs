//! Memory and tables of one run, counted together.

use crate::fault::RunFault;
use crate::meter::MemoryMeter;
use palyra_common::{LimitKind, RuntimeLimits, WasmPluginRunError};
use wasmtime::ResourceLimiter;

/// Counts the memory and tables of a store and stops the run at the first byte above a limit.
#[derive(Debug)]
pub(crate) struct RunLimiter {
    memory: MemoryMeter,
    max_tables: u64,
    max_instances: usize,
    tables: u64,
}

impl RunLimiter {
    pub(crate) fn new(limits: &RuntimeLimits, memory: MemoryMeter) -> Self {
        Self {
            memory,
            max_tables: limits.max_table_elements,
            max_instances: usize::try_from(limits.max_instances).unwrap_or(usize::MAX),
            tables: 0,
        }
    }
}

impl ResourceLimiter for RunLimiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            // Growth beyond the maximum that the guest declares fails as usual: `memory.grow` returns -1.
            return Ok(false);
        }
        self.memory.grow((desired - current) as u64).map_err(RunFault)?;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let wanted = self.tables.saturating_add((desired - current) as u64);
        if wanted > self.max_tables {
            let (limit, allowed) = (LimitKind::Tables, self.max_tables);
            return Err(RunFault(WasmPluginRunError::QuotaExceeded { limit, allowed, used: wanted }).into());
        }
        self.tables = wanted;
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.max_instances
    }

    // Memories and tables are bounded by their sums and by the pool, not by their number.
    fn memories(&self) -> usize {
        usize::MAX
    }

    fn tables(&self) -> usize {
        usize::MAX
    }
}

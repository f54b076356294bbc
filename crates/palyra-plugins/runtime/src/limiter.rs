//! Memory and tables of one run, counted together.

use crate::fault::RunFault;
use palyra_common::{LimitKind, RuntimeLimits, WasmPluginRunError};
use wasmtime::ResourceLimiter;

/// Counts what all memories and tables of a store hold, and stops the run at the first byte too many.
#[derive(Debug)]
pub(crate) struct RunLimiter {
    max_memory: u64,
    max_tables: u64,
    max_instances: usize,
    memory: u64,
    tables: u64,
    pub(crate) peak_memory: u64,
}

impl RunLimiter {
    pub(crate) fn new(limits: &RuntimeLimits) -> Self {
        Self {
            max_memory: limits.max_memory_bytes,
            max_tables: limits.max_table_elements,
            max_instances: usize::try_from(limits.max_instances).unwrap_or(usize::MAX),
            memory: 0,
            tables: 0,
            peak_memory: 0,
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
            // The guest's own declared maximum fails the ordinary way: `memory.grow` answers -1.
            return Ok(false);
        }
        let wanted = self.memory.saturating_add((desired - current) as u64);
        if wanted > self.max_memory {
            return Err(over(LimitKind::Memory, self.max_memory, wanted));
        }
        self.memory = wanted;
        self.peak_memory = self.peak_memory.max(wanted);
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
            return Err(over(LimitKind::Tables, self.max_tables, wanted));
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

fn over(limit: LimitKind, allowed: u64, used: u64) -> wasmtime::Error {
    RunFault(WasmPluginRunError::QuotaExceeded { limit, allowed, used }).into()
}

//! The memory that the host holds for a run, counted against the run's limit.

use super::{HostFailure, RunContext};
use crate::meter::HeldBytes;
use palyra_common::WasmPluginRunError;

impl RunContext {
    /// Counts bytes that the host holds for the run. If that fails, the run exceeded its memory limit and ends.
    pub(crate) fn hold(&self, bytes: usize) -> Result<HeldBytes, HostFailure> {
        self.memory.hold(bytes).map_err(|error| self.over_memory(error))
    }

    /// Changes the number of bytes counted for existing data.
    pub(crate) fn resize(&self, held: &mut HeldBytes, bytes: usize) -> Result<(), HostFailure> {
        held.resize(bytes).map_err(|error| self.over_memory(error))
    }

    fn over_memory(&self, error: WasmPluginRunError) -> HostFailure {
        self.changing().violation.get_or_insert_with(|| error.clone());
        match error {
            WasmPluginRunError::QuotaExceeded { limit, allowed, used } => {
                HostFailure::Quota { limit, allowed, used }
            }
            other => HostFailure::Unavailable(other.to_string()),
        }
    }
}

//! The data of an engine store, which belongs to one run.

use crate::fault::RunFault;
use crate::limiter::RunLimiter;
use crate::meter::HeldBytes;
use crate::run_context::RunContext;
use crate::wasi::WasiState;
use palyra_common::limits::MAX_RESOURCES;
use std::collections::HashMap;
use std::sync::Arc;
use wasmtime::component::ResourceTable;

/// The data of a store.
pub struct RunState {
    pub(crate) run: Arc<RunContext>,
    pub(crate) limiter: RunLimiter,
    pub(crate) table: ResourceTable,
    /// The host memory of resources, by their number in the table.
    pub(crate) held: HashMap<u32, HeldBytes>,
    pub(crate) wasi: Option<Box<WasiState>>,
    pub(crate) core: CoreState,
    /// Whether the engine wrote the fuel back before the guest ended.
    pub(crate) fuel_is_exact: bool,
}

/// The buffers that a core module reads and writes in parts.
#[derive(Default)]
pub(crate) struct CoreState {
    pub(crate) input: Arc<String>,
    pub(crate) output: Vec<u8>,
    /// The response of the last host call, until the next one.
    pub(crate) response: Vec<u8>,
    pub(crate) held_response: Option<HeldBytes>,
}

impl RunState {
    pub(crate) fn new(run: Arc<RunContext>) -> Self {
        let limiter = RunLimiter::new(&run.limits, run.memory.clone());
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        let (held, core) = (HashMap::new(), CoreState::default());
        Self { run, limiter, table, held, wasi: None, core, fuel_is_exact: false }
    }

    /// Counts the current size of a resource against the run's memory.
    pub(crate) fn hold(&mut self, resource: u32, bytes: usize) -> wasmtime::Result<()> {
        let held = match self.held.get_mut(&resource) {
            Some(held) => held.resize(bytes),
            None => self.run.memory.hold(bytes).map(|held| drop(self.held.insert(resource, held))),
        };
        held.map_err(|error| RunFault(error).into())
    }
}

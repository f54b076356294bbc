//! The data of a store: one run.

use crate::limiter::RunLimiter;
use crate::run_context::RunContext;
use crate::wasi::WasiState;
use palyra_common::limits::MAX_RESOURCES;
use std::sync::Arc;
use wasmtime::component::ResourceTable;

/// Everything a store of ours holds.
pub struct RunState {
    pub(crate) run: Arc<RunContext>,
    pub(crate) limiter: RunLimiter,
    pub(crate) table: ResourceTable,
    pub(crate) wasi: Option<Box<WasiState>>,
    pub(crate) core: CoreState,
}

/// What a core module reads and writes in pieces.
#[derive(Default)]
pub(crate) struct CoreState {
    pub(crate) input: Arc<String>,
    pub(crate) output: Vec<u8>,
    /// The answer of the last host call, until the next one.
    pub(crate) response: Vec<u8>,
}

impl RunState {
    pub(crate) fn new(run: Arc<RunContext>) -> Self {
        let limiter = RunLimiter::new(&run.limits);
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        Self { run, limiter, table, wasi: None, core: CoreState::default() }
    }
}

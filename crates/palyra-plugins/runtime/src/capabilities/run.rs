//! `run`: facts about the current call.

use super::types::or_stop;
use crate::run_state::RunState;
use wasmtime::component::Linker;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut run = linker.instance("palyra:plugin/run@1.0.0")?;
    run.func_wrap("run-id", |store, (): ()| Ok((store.data().run.run_id.to_string(),)))?;
    run.func_wrap("tool-id", |store, (): ()| Ok((store.data().run.tool_id.to_string(),)))?;
    run.func_wrap("remaining-fuel", |store, (): ()| {
        let fuel = store.get_fuel()?;
        Ok((or_stop(store.data().run.observe("run.remaining_fuel", || fuel))?,))
    })?;
    run.func_wrap("remaining-milliseconds", |store, (): ()| {
        Ok((or_stop(store.data().run.remaining_millis())?,))
    })?;
    run.func_wrap("operator-config", |store, (): ()| {
        Ok((store.data().run.operator_config.as_str().to_owned(),))
    })
}

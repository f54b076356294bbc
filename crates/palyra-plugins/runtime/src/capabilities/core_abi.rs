//! The ABI of core modules: input and output in parts, handles, and one call for all other operations.
//!
//! Pointers are `i32` offsets into the exported `memory`. A range outside it traps, before anything is
//! allocated for it.

mod host_call;
mod memory;

use crate::fault::{RunFault, host_data_budget};
use crate::run_state::RunState;
use memory::GuestMemory;
use palyra_common::{CapabilityKind, LimitKind, WasmPluginRunError};
use palyra_plugins_sdk::abi::{core_module as names, host_capabilities as imports};
use wasmtime::{Caller, Linker};

type Kinds = [(&'static str, &'static str, CapabilityKind); 4];

const KINDS: Kinds = [
    (imports::HTTP_COUNT, imports::HTTP_HANDLE, CapabilityKind::Http),
    (imports::SECRET_COUNT, imports::SECRET_HANDLE, CapabilityKind::Secret),
    (imports::STORAGE_COUNT, imports::STORAGE_HANDLE, CapabilityKind::Storage),
    (imports::CHANNEL_COUNT, imports::CHANNEL_HANDLE, CapabilityKind::Channel),
];

/// Links everything a core module may import.
pub(crate) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    add_io(linker)?;
    for (count, handle, kind) in KINDS {
        linker.func_wrap(names::HOST_CAPABILITIES, count, move |caller: Caller<'_, RunState>| {
            caller.data().run.handles.count(kind)
        })?;
        linker.func_wrap(
            names::HOST_CAPABILITIES,
            handle,
            move |caller: Caller<'_, RunState>, index: i32| caller.data().run.handles.at(kind, index),
        )?;
    }
    add_host_call(linker)
}

fn add_io(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    linker.func_wrap(names::IO, names::INPUT_LENGTH, |caller: Caller<'_, RunState>| -> i32 {
        i32::try_from(caller.data().core.input.len()).unwrap_or(i32::MAX)
    })?;
    linker.func_wrap(
        names::IO,
        names::INPUT_READ,
        |mut caller: Caller<'_, RunState>, pointer: i32, offset: i32, length: i32| -> wasmtime::Result<i32> {
            let memory = GuestMemory::of(&mut caller)?;
            let input = std::sync::Arc::clone(&caller.data().core.input);
            memory.copy_in(&mut caller, pointer, length, slice_from(input.as_bytes(), offset))
        },
    )?;
    linker.func_wrap(
        names::IO,
        names::OUTPUT_WRITE,
        |mut caller: Caller<'_, RunState>, pointer: i32, length: i32| -> wasmtime::Result<i32> {
            let memory = GuestMemory::of(&mut caller)?;
            let range = memory.range(&caller, pointer, length)?;
            let (bytes, state) = memory.split(&mut caller);
            let allowed = state.run.limits.max_output_bytes;
            let used = (state.core.output.len() as u64).saturating_add(range.len() as u64);
            if used > allowed {
                return Err(RunFault(WasmPluginRunError::QuotaExceeded {
                    limit: LimitKind::Output,
                    allowed,
                    used,
                })
                .into());
            }
            state.core.output.extend_from_slice(&bytes[range]);
            Ok(length)
        },
    )?;
    Ok(())
}

fn add_host_call(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    linker.func_wrap_async(
        names::HOST_CALL,
        names::CALL,
        |mut caller: Caller<'_, RunState>, (pointer, length): (i32, i32)| {
            Box::new(async move {
                let memory = GuestMemory::of(&mut caller)?;
                let range = memory.range(&caller, pointer, length)?;
                let allowed = host_data_budget(&caller.data().run.limits);
                let used = range.len() as u64;
                if used > allowed {
                    let limit = LimitKind::HostData;
                    return Err(RunFault(WasmPluginRunError::QuotaExceeded { limit, allowed, used }).into());
                }
                let request = memory.bytes(&caller)[range].to_vec();
                let fuel = caller.get_fuel()?;
                let run = std::sync::Arc::clone(&caller.data().run);
                let response = host_call::answer(&run, fuel, &request).await?;
                let length = i32::try_from(response.len())?;
                let core = &mut caller.data_mut().core;
                // The previous response is dropped, with the memory held for it.
                (core.response, core.held_response) = (Vec::new(), None);
                core.held_response = Some(run.memory.hold(response.capacity()).map_err(RunFault)?);
                core.response = response;
                Ok(length)
            })
        },
    )?;
    linker.func_wrap(
        names::HOST_CALL,
        names::RESPONSE_READ,
        |mut caller: Caller<'_, RunState>, pointer: i32, offset: i32, length: i32| -> wasmtime::Result<i32> {
            let memory = GuestMemory::of(&mut caller)?;
            let response = std::mem::take(&mut caller.data_mut().core.response);
            let copied = memory.copy_in(&mut caller, pointer, length, slice_from(&response, offset));
            caller.data_mut().core.response = response;
            copied
        },
    )?;
    Ok(())
}

/// Returns the bytes after an offset; empty if the offset is negative or past the end.
fn slice_from(bytes: &[u8], offset: i32) -> &[u8] {
    usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default()
}

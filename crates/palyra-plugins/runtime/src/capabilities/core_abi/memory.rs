//! Ranges of a guest's memory, checked before they are used.

use crate::fault::RunFault;
use crate::run_state::RunState;
use palyra_common::WasmPluginRunError;
use palyra_plugins_sdk::abi::core_module::MEMORY_EXPORT;
use std::ops::Range;
use wasmtime::{AsContext, Caller, Memory};

/// The exported `memory` of the calling guest.
#[derive(Clone, Copy)]
pub(super) struct GuestMemory(Memory);

impl GuestMemory {
    pub(super) fn of(caller: &mut Caller<'_, RunState>) -> wasmtime::Result<Self> {
        let memory = caller.get_export(MEMORY_EXPORT).and_then(wasmtime::Extern::into_memory);
        memory.map(Self).ok_or_else(|| broken(format!("there is no exported memory `{MEMORY_EXPORT}`")))
    }

    /// Returns the range `[pointer, pointer + length)`, or an error if it is not all in memory.
    pub(super) fn range(
        &self,
        context: impl AsContext,
        pointer: i32,
        length: i32,
    ) -> wasmtime::Result<Range<usize>> {
        let size = self.0.data_size(context);
        checked_range(pointer, length, size).ok_or_else(|| {
            broken(format!(
                "the range {} + {} is outside the memory of {size} bytes",
                pointer.cast_unsigned(),
                length.cast_unsigned()
            ))
        })
    }

    /// Copies the part of `bytes` that fits into the range and returns its length.
    pub(super) fn copy_in(
        &self,
        caller: &mut Caller<'_, RunState>,
        pointer: i32,
        length: i32,
        bytes: &[u8],
    ) -> wasmtime::Result<i32> {
        let range = self.range(&*caller, pointer, length)?;
        let count = bytes.len().min(range.len());
        self.0.data_mut(caller)[range.start..range.start + count].copy_from_slice(&bytes[..count]);
        Ok(i32::try_from(count)?)
    }

    pub(super) fn bytes<'a>(&self, caller: &'a Caller<'_, RunState>) -> &'a [u8] {
        self.0.data(caller)
    }

    pub(super) fn split<'a>(&self, caller: &'a mut Caller<'_, RunState>) -> (&'a mut [u8], &'a mut RunState) {
        self.0.data_and_store_mut(caller)
    }
}

/// Returns the range if it is within `size`; guest numbers are unsigned, so a negative one is very large.
fn checked_range(pointer: i32, length: i32, size: usize) -> Option<Range<usize>> {
    let start = usize::try_from(pointer.cast_unsigned()).ok()?;
    let end = start.checked_add(usize::try_from(length.cast_unsigned()).ok()?)?;
    (end <= size).then_some(start..end)
}

fn broken(reason: String) -> wasmtime::Error {
    RunFault(WasmPluginRunError::Trapped { reason, backtrace: Vec::new() }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_accepted_range_is_inside(pointer in any::<i32>(), length in any::<i32>(), size in 0_usize..1 << 33) {
            if let Some(range) = checked_range(pointer, length, size) {
                prop_assert!(range.start <= range.end && range.end <= size);
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!(checked_range(0, 0, 0), Some(0..0));
        assert_eq!(checked_range(65_536, 0, 65_536), Some(65_536..65_536));
        assert_eq!(checked_range(65_536, 1, 65_536), None);
        assert_eq!(checked_range(-1, 1, 65_536), None);
        assert_eq!(checked_range(1, -1, 65_536), None);
        assert_eq!(checked_range(-1, -1, usize::MAX), Some(4_294_967_295..8_589_934_590));
    }
}

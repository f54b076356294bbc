//! The memory of one run: its linear memories and the host's allocations for it, under one limit.

use palyra_common::{LimitKind, WasmPluginRunError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts bytes against `max_memory_bytes`. Clones count together.
#[derive(Debug, Clone)]
pub(crate) struct MemoryMeter(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl MemoryMeter {
    pub(crate) fn new(limit: u64) -> Self {
        Self(Arc::new(Counts { limit, used: AtomicU64::new(0), peak: AtomicU64::new(0) }))
    }

    /// Counts bytes until the result is dropped. Fails if the total would exceed the limit of the run.
    pub(crate) fn hold(&self, bytes: usize) -> Result<HeldBytes, WasmPluginRunError> {
        let mut held = HeldBytes { meter: self.clone(), bytes: 0 };
        held.resize(bytes)?;
        Ok(held)
    }

    /// Counts bytes until the run ends. Fails if the total would exceed the limit of the run.
    pub(crate) fn grow(&self, bytes: u64) -> Result<(), WasmPluginRunError> {
        let Counts { limit, used, peak } = &*self.0;
        let allowed = *limit;
        let add = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= allowed);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(before) => {
                peak.fetch_max(before.saturating_add(bytes), Ordering::Relaxed);
                Ok(())
            }
            Err(before) => Err(WasmPluginRunError::QuotaExceeded {
                limit: LimitKind::Memory,
                allowed,
                used: before.saturating_add(bytes),
            }),
        }
    }

    pub(crate) fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::Relaxed)
    }

    fn shrink(&self, bytes: u64) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Bytes that the host allocated for a run, counted until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    meter: MemoryMeter,
    bytes: u64,
}

impl HeldBytes {
    /// Changes the number of counted bytes. On an error the old number remains.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), WasmPluginRunError> {
        let bytes = bytes as u64;
        if bytes > self.bytes {
            self.meter.grow(bytes - self.bytes)?;
        } else {
            self.meter.shrink(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.meter.shrink(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_held_bytes_share_one_limit() {
        let meter = MemoryMeter::new(100);
        meter.grow(40).unwrap();
        let mut held = meter.hold(50).unwrap();
        assert!(meter.hold(11).is_err());
        assert!(held.resize(61).is_err());
        held.resize(60).unwrap();
        drop(held);
        let refused = meter.grow(61).unwrap_err();
        assert_eq!(
            refused,
            WasmPluginRunError::QuotaExceeded { limit: LimitKind::Memory, allowed: 100, used: 101 }
        );
        assert_eq!(meter.peak(), 100);
        assert!(meter.grow(u64::MAX).is_err());
    }
}

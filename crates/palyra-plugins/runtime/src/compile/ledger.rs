//! Time spent on failed compilations of a payload, so that repeated requests cost no more than one.

use super::CompileFailure;
use hashlink::LruCache;
use palyra_common::limits::COMPILE_TIMEOUT_MS;
use palyra_common::{LimitKind, WasmPluginRunError};
use std::time::Duration;

/// Maximum number of payloads in the ledger.
const MAX_PAYLOADS: usize = 1_024;

type Digest = [u8; 32];

/// Time spent on payloads that have no code yet.
pub(crate) struct CompileLedger(LruCache<Digest, Spent>);

impl Default for CompileLedger {
    fn default() -> Self {
        Self(LruCache::new(MAX_PAYLOADS))
    }
}

struct Spent {
    time: Duration,
    last: CompileFailure,
}

impl CompileLedger {
    /// Refuses a payload whose compile time is used up.
    pub(crate) fn check(&self, payload: &Digest) -> Result<(), WasmPluginRunError> {
        let spent = self.0.peek(payload).map(|spent| spent.time).unwrap_or_default();
        let used = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        if used >= COMPILE_TIMEOUT_MS {
            Err(WasmPluginRunError::QuotaExceeded {
                limit: LimitKind::Compile,
                allowed: COMPILE_TIMEOUT_MS,
                used,
            })
        } else {
            Ok(())
        }
    }

    /// Adds the time of a compilation that gave no code; one that reached a limit uses up all of it.
    pub(crate) fn failed(&mut self, payload: Digest, time: Duration, failure: CompileFailure) {
        let full = Duration::from_millis(COMPILE_TIMEOUT_MS);
        let time = if failure.is_limit() { time.max(full) } else { time };
        let before = self.0.peek(&payload).map(|spent| spent.time).unwrap_or_default();
        self.0.insert(payload, Spent { time: before.saturating_add(time), last: failure });
    }

    /// Returns the failure of the last compilation of a payload.
    pub(crate) fn failure(&self, payload: &Digest) -> Option<&CompileFailure> {
        self.0.peek(payload).map(|spent| &spent.last)
    }

    /// Removes the entry of a payload, after it was compiled or an operator asked for another attempt.
    pub(crate) fn forget(&mut self, payload: &Digest) {
        self.0.remove(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn invalid() -> CompileFailure {
        CompileFailure::Invalid("no magic number".into())
    }

    #[test]
    fn time_of_failed_compilations_adds_up() {
        let mut ledger = CompileLedger::default();
        ledger.failed([1; 32], MINUTE, invalid());
        assert_eq!(ledger.check(&[1; 32]), Ok(()));
        ledger.failed([1; 32], MINUTE, invalid());
        assert_eq!(ledger.check(&[1; 32]).unwrap_err().kind().wire_name(), "quota_exceeded");
        assert_eq!(ledger.failure(&[1; 32]), Some(&invalid()));
        ledger.forget(&[1; 32]);
        assert_eq!((ledger.check(&[1; 32]), ledger.failure(&[1; 32])), (Ok(()), None));
    }

    #[test]
    fn reached_limit_is_not_tried_again() {
        let mut ledger = CompileLedger::default();
        ledger.failed([1; 32], Duration::ZERO, CompileFailure::OverTime { limit_ms: 1 });
        assert!(ledger.check(&[1; 32]).is_err());
    }

    #[test]
    fn ledger_is_bounded() {
        let mut ledger = CompileLedger::default();
        for number in 0..5_000_u64 {
            let mut payload = [0; 32];
            payload[..8].copy_from_slice(&number.to_le_bytes());
            ledger.failed(payload, MINUTE, invalid());
        }
        assert_eq!(ledger.0.len(), MAX_PAYLOADS);
    }
}

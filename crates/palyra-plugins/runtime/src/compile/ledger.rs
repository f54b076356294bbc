//! How much time was spent in vain on a payload, so that asking again and again costs no more than asking once.

use palyra_common::limits::COMPILE_TIMEOUT_MS;
use palyra_common::{LimitKind, WasmPluginRunError};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Payloads that are remembered, newest first.
const MAX_PAYLOADS: usize = 1_024;

type Digest = [u8; 32];

/// Time spent on payloads that have no code yet.
#[derive(Default)]
pub(crate) struct CompileLedger {
    spent: HashMap<Digest, Duration>,
    order: VecDeque<Digest>,
}

impl CompileLedger {
    /// Refuses a payload whose time is used up.
    pub(crate) fn check(&self, payload: &Digest) -> Result<(), WasmPluginRunError> {
        let spent = self.spent.get(payload).copied().unwrap_or_default();
        let used = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        match used >= COMPILE_TIMEOUT_MS {
            true => Err(WasmPluginRunError::QuotaExceeded {
                limit: LimitKind::Compile,
                allowed: COMPILE_TIMEOUT_MS,
                used,
            }),
            false => Ok(()),
        }
    }

    /// Adds the time of a compilation that gave no code; one that reached a limit uses up all of it.
    pub(crate) fn failed(&mut self, payload: Digest, time: Duration, reached_limit: bool) {
        let time = match reached_limit {
            true => time.max(Duration::from_millis(COMPILE_TIMEOUT_MS)),
            false => time,
        };
        if !self.spent.contains_key(&payload) {
            if self.order.len() >= MAX_PAYLOADS
                && let Some(oldest) = self.order.pop_front()
            {
                self.spent.remove(&oldest);
            }
            self.order.push_back(payload);
        }
        let spent = self.spent.entry(payload).or_default();
        *spent = spent.saturating_add(time);
    }

    /// Forgets a payload: it has code now, or an operator wants it tried again.
    pub(crate) fn forget(&mut self, payload: &Digest) {
        if self.spent.remove(payload).is_some() {
            self.order.retain(|other| other != payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn time_of_failed_compilations_adds_up() {
        let mut ledger = CompileLedger::default();
        ledger.failed([1; 32], MINUTE, false);
        assert_eq!(ledger.check(&[1; 32]), Ok(()));
        ledger.failed([1; 32], MINUTE, false);
        assert_eq!(ledger.check(&[1; 32]).unwrap_err().kind().wire_name(), "quota_exceeded");
        ledger.forget(&[1; 32]);
        assert_eq!(ledger.check(&[1; 32]), Ok(()));
    }

    #[test]
    fn reached_limit_is_not_tried_again() {
        let mut ledger = CompileLedger::default();
        ledger.failed([1; 32], Duration::ZERO, true);
        assert!(ledger.check(&[1; 32]).is_err());
    }

    #[test]
    fn ledger_is_bounded() {
        let mut ledger = CompileLedger::default();
        for number in 0..5_000_u64 {
            let mut payload = [0; 32];
            payload[..8].copy_from_slice(&number.to_le_bytes());
            ledger.failed(payload, MINUTE, true);
        }
        assert!(ledger.spent.len() == MAX_PAYLOADS && ledger.order.len() == MAX_PAYLOADS);
    }
}

//! Memory budget for incoming requests and outgoing answers.
//!
//! Request bodies, gRPC messages, MCP messages, uploaded packages and unread responses are charged to one budget, by
//! principal. A principal at its limit is rejected before its next request is read, and cannot use the guaranteed part
//! of another one.

use palyra_common::ErrorCode;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

use palyra_api::Problem;
use serde_json::json;

/// Maximum bytes of all principals together, beyond the guaranteed bytes of each.
pub(crate) const TOTAL_BYTES: usize = 256 << 20;
/// Maximum bytes of one principal.
pub(crate) const PRINCIPAL_BYTES: usize = 192 << 20;
/// Bytes that a principal can always reserve, however much others use.
pub(crate) const GUARANTEED_BYTES: usize = 8 << 20;

/// The memory budget of one daemon; clones share it.
#[derive(Clone, Default)]
pub(crate) struct MemoryBudget(Arc<Mutex<Ledger>>);

#[derive(Default)]
struct Ledger {
    total: usize,
    by_principal: HashMap<Arc<str>, usize>,
}

/// Memory of one request and its response; released when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Reservation(Arc<Held>);

struct Held {
    budget: MemoryBudget,
    principal: Arc<str>,
    bytes: Mutex<usize>,
}

/// The limit that is exceeded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BudgetExceeded {
    #[error("requests and unread responses of `{principal}` use its whole budget of {PRINCIPAL_BYTES} bytes")]
    Principal { principal: String },
    #[error("requests and unread responses use the whole budget of the daemon, {TOTAL_BYTES} bytes")]
    Total,
}

impl From<BudgetExceeded> for Problem {
    fn from(exceeded: BudgetExceeded) -> Self {
        let limit = match exceeded {
            BudgetExceeded::Principal { .. } => PRINCIPAL_BYTES,
            BudgetExceeded::Total => TOTAL_BYTES,
        };
        Self::new(ErrorCode::TooManyUploads, exceeded.to_string())
            .details(json!({ "limit": limit }))
            .hint("read the pending responses, or try again later")
    }
}

impl MemoryBudget {
    /// Returns an empty reservation, or an error if the principal is at its limit already.
    pub(crate) fn open(&self, principal: &str) -> Result<Reservation, BudgetExceeded> {
        self.ledger().check(principal, 1)?;
        let (principal, bytes) = (Arc::from(principal), Mutex::new(0));
        Ok(Reservation(Arc::new(Held { budget: self.clone(), principal, bytes })))
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock()
    }
}

impl Ledger {
    fn check(&self, principal: &str, more: usize) -> Result<(), BudgetExceeded> {
        let held = self.by_principal.get(principal).copied().unwrap_or_default().saturating_add(more);
        if held <= GUARANTEED_BYTES {
            return Ok(());
        }
        if held > PRINCIPAL_BYTES {
            return Err(BudgetExceeded::Principal { principal: principal.to_owned() });
        }
        if self.total.saturating_add(more) > TOTAL_BYTES { Err(BudgetExceeded::Total) } else { Ok(()) }
    }

    fn change(&mut self, principal: &Arc<str>, from: usize, to: usize) {
        self.total = self.total.saturating_sub(from).saturating_add(to);
        let held = self.by_principal.entry(Arc::clone(principal)).or_default();
        *held = held.saturating_sub(from).saturating_add(to);
        if *held == 0 {
            self.by_principal.remove(principal);
        }
    }
}

impl Reservation {
    /// Grows the reservation to at least this many bytes, or returns the limit that does not permit it.
    pub(crate) fn grow_to(&self, bytes: usize) -> Result<(), BudgetExceeded> {
        let mut held = self.0.bytes();
        if bytes > *held {
            let mut ledger = self.0.budget.ledger();
            ledger.check(&self.0.principal, bytes - *held)?;
            ledger.change(&self.0.principal, *held, bytes);
            *held = bytes;
        }
        Ok(())
    }

    /// Holds exactly this many bytes: what exists already is counted even where it is over a limit, and the next
    /// request of the principal is refused instead.
    pub(crate) fn set(&self, bytes: usize) {
        let mut held = self.0.bytes();
        if bytes != *held {
            self.0.budget.ledger().change(&self.0.principal, *held, bytes);
            *held = bytes;
        }
    }

    /// Returns whether nothing is reserved.
    pub(crate) fn is_empty(&self) -> bool {
        *self.0.bytes() == 0
    }
}

impl Held {
    fn bytes(&self) -> MutexGuard<'_, usize> {
        self.bytes.lock()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let held = *self.bytes();
        if held > 0 {
            self.budget.ledger().change(&self.principal, held, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_bounds_each_principal_and_all_together() {
        let budget = MemoryBudget::default();
        let first = budget.open("a").unwrap();
        first.grow_to(PRINCIPAL_BYTES).unwrap();
        let principal = BudgetExceeded::Principal { principal: "a".into() };
        assert_eq!(first.grow_to(PRINCIPAL_BYTES + 1), Err(principal.clone()));
        assert_eq!(budget.open("a").err(), Some(principal));
        let second = budget.open("b").unwrap();
        second.grow_to(TOTAL_BYTES - PRINCIPAL_BYTES).unwrap();
        assert_eq!(second.grow_to(PRINCIPAL_BYTES), Err(BudgetExceeded::Total));
        let third = budget.open("c").unwrap();
        third.grow_to(GUARANTEED_BYTES).unwrap();
        assert_eq!(third.grow_to(GUARANTEED_BYTES + 1), Err(BudgetExceeded::Total));
        drop((first, second, third));
        assert_eq!(budget.ledger().total, 0);
        assert!(budget.ledger().by_principal.is_empty());
    }

    #[test]
    fn answers_over_the_share_refuse_the_next_request() {
        let budget = MemoryBudget::default();
        let answered = budget.open("a").unwrap();
        answered.set(PRINCIPAL_BYTES + 1);
        assert!(budget.open("a").is_err() && budget.open("b").is_ok());
        answered.set(0);
        assert!(answered.is_empty() && budget.open("a").is_ok());
    }
}

//! Byte budgets: how much one run may send and receive in total and under each rule.

use crate::error::EgressError;
use palyra_common::capabilities::HttpRule;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes one run may exchange, shared by all its requests.
///
/// Heads and bodies count, in both directions. The `total=` of a rule is counted here too, so a budget
/// belongs to exactly one run. For a rule without `response=`, the budget bounds the memory of a response.
#[derive(Debug)]
pub struct ByteBudget {
    limit: u64,
    used: AtomicU64,
    rules: Mutex<Vec<(HttpRule, Arc<AtomicU64>)>>,
}

impl ByteBudget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0), rules: Mutex::new(Vec::new()) }
    }

    /// Returns the number of bytes sent and received so far.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn rule_counter(&self, rule: &HttpRule) -> Arc<AtomicU64> {
        let mut rules = self.rules.lock();
        if let Some((_, counter)) = rules.iter().find(|(known, _)| known == rule) {
            return Arc::clone(counter);
        }
        let counter = Arc::new(AtomicU64::new(0));
        rules.push((rule.clone(), Arc::clone(&counter)));
        counter
    }
}

/// Counts one exchange against its rule and its run.
pub(crate) struct Meter<'a> {
    budget: &'a ByteBudget,
    /// The rule's `total=` and the counter of the bytes used under it.
    rule_total: Option<(u64, Arc<AtomicU64>)>,
    response_cap: u64,
    sent: u64,
    received: u64,
}

impl<'a> Meter<'a> {
    /// Counts a request before any of it is sent; refuses it when it does not fit.
    pub(crate) fn open(
        budget: &'a ByteBudget,
        rule: &HttpRule,
        head_bytes: u64,
        body_bytes: u64,
    ) -> Result<Self, EgressError> {
        within(rule.request_bytes.unwrap_or(u64::MAX), body_bytes)?;
        let rule_total = rule.total_bytes.map(|total| (total, budget.rule_counter(rule)));
        let sent = head_bytes.saturating_add(body_bytes);
        if let Some((total, used)) = &rule_total {
            take(used, *total, sent)?;
        }
        if let Err(refused) = take(&budget.used, budget.limit, sent) {
            if let Some((_, used)) = &rule_total {
                used.fetch_sub(sent, Ordering::Relaxed);
            }
            return Err(refused);
        }
        let response_cap = rule.response_bytes.unwrap_or(u64::MAX);
        Ok(Self { budget, rule_total, response_cap, sent, received: 0 })
    }

    /// Counts bytes that have arrived, framing included.
    pub(crate) fn receive(&mut self, bytes: u64) -> Result<(), EgressError> {
        if bytes == 0 {
            return Ok(());
        }
        self.received = self.received.saturating_add(bytes);
        let run = add(&self.budget.used, bytes);
        if let Some((total, used)) = &self.rule_total {
            within(*total, add(used, bytes))?;
        }
        within(self.budget.limit, run)
    }

    /// Refuses a body whose announced length exceeds the remaining budget, before it is read.
    pub(crate) fn expect_body(&self, announced: u64) -> Result<(), EgressError> {
        self.check_body(announced)?;
        // Part of the body may have been counted together with the head, so it is counted back first.
        let at_the_end = |used: &AtomicU64| {
            used.load(Ordering::Relaxed).saturating_sub(self.received).saturating_add(announced)
        };
        if let Some((total, used)) = &self.rule_total {
            within(*total, at_the_end(used))?;
        }
        within(self.budget.limit, at_the_end(&self.budget.used))
    }

    /// Refuses a body of this length; call it before storing the bytes.
    pub(crate) fn check_body(&self, length: u64) -> Result<(), EgressError> {
        within(self.response_cap, length)
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    pub(crate) fn received(&self) -> u64 {
        self.received
    }
}

fn within(allowed: u64, used: u64) -> Result<(), EgressError> {
    if used > allowed { Err(EgressError::Quota { allowed, used }) } else { Ok(()) }
}

/// Reserves bytes before they are transferred: all of them or none.
fn take(counter: &AtomicU64, limit: u64, bytes: u64) -> Result<(), EgressError> {
    counter
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|sum| *sum <= limit)
        })
        .map(drop)
        .map_err(|used| EgressError::Quota { allowed: limit, used: used.saturating_add(bytes) })
}

/// Adds bytes that have moved already, and returns the sum.
fn add(counter: &AtomicU64, bytes: u64) -> u64 {
    let before =
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used.saturating_add(bytes)));
    before.unwrap_or_else(|used| used).saturating_add(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> HttpRule {
        text.parse().unwrap()
    }

    fn quota<T>(result: Result<T, EgressError>) -> Option<(u64, u64)> {
        match result {
            Err(EgressError::Quota { allowed, used }) => Some((allowed, used)),
            _ => None,
        }
    }

    #[test]
    fn a_refused_request_takes_nothing() {
        let budget = ByteBudget::new(100);
        assert_eq!(quota(Meter::open(&budget, &rule("https://a.example"), 60, 50)), Some((100, 110)));
        assert_eq!(
            quota(Meter::open(&budget, &rule("https://a.example total=150"), 60, 50)),
            Some((100, 110))
        );
        assert!(Meter::open(&ByteBudget::new(100), &rule("https://a.example total=150"), 50, 50).is_ok());
        assert_eq!(
            (
                budget.used(),
                budget.rule_counter(&rule("https://a.example total=150")).load(Ordering::Relaxed)
            ),
            (0, 0)
        );
        assert!(Meter::open(&budget, &rule("https://a.example"), 60, 40).is_ok());
        assert_eq!(budget.used(), 100);
    }

    #[test]
    fn a_rule_counts_its_own_total_over_all_requests() {
        let budget = ByteBudget::new(1_000);
        let (narrow, wide) = (rule("https://a.example total=50"), rule("https://b.example"));
        let mut first = Meter::open(&budget, &narrow, 10, 10).unwrap();
        first.receive(20).unwrap();
        assert_eq!(quota(Meter::open(&budget, &narrow, 10, 10)), Some((50, 60)));
        assert!(Meter::open(&budget, &wide, 100, 100).is_ok());
        assert_eq!(quota(first.receive(11)), Some((50, 51)));
    }

    #[test]
    fn an_announced_body_is_judged_before_it_comes() {
        let budget = ByteBudget::new(100);
        let mut meter = Meter::open(&budget, &rule("https://a.example response=60"), 10, 0).unwrap();
        meter.receive(40).unwrap();
        assert_eq!(quota(meter.expect_body(61)), Some((60, 61)));
        assert!(meter.expect_body(60).is_ok());
        let other = Meter::open(&budget, &rule("https://a.example"), 10, 0).unwrap();
        assert_eq!(quota(other.expect_body(u64::MAX)), Some((100, u64::MAX)));
        assert_eq!(quota(other.expect_body(50)), Some((100, 110)));
    }

    #[test]
    fn many_threads_never_take_more_than_there_is() {
        let budget = ByteBudget::new(1_000);
        let rule = rule("https://a.example");
        let taken: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| (0..100).filter(|_| Meter::open(&budget, &rule, 7, 0).is_ok()).count())
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!((taken, budget.used()), (142, 994));
    }
}

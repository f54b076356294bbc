//! Measures the cost of a decision: `cargo run --release -p palyra-policy --example policy_rate`.

#![allow(clippy::print_stdout, reason = "an example that prints")]

use palyra_policy::{
    Action, DEFAULT_POLICY, DecisionCache, Face, PolicyContext, PolicyRequest, PolicySet, Principal,
    PrincipalKind, Resource, Scope, Tool, TrustState,
};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 20_000;

fn main() -> Result<(), palyra_policy::PolicyTextError> {
    let started = Instant::now();
    let set = Arc::new(PolicySet::parse(DEFAULT_POLICY)?);
    println!("parse and check     {:>9.1} µs once", started.elapsed().as_secs_f64() * 1e6);
    let cache = DecisionCache::new(Arc::clone(&set));
    let allowed = call(&[Scope::Read, Scope::Invoke]);
    let denied = call(&[Scope::Read]);
    measure("evaluate, allowed", || black_box(set.evaluate(&allowed)).allowed);
    measure("evaluate, denied", || black_box(set.evaluate(&denied)).allowed);
    measure("key", || black_box(set.key(&allowed)) == set.key(&denied));
    measure("cached, allowed", || black_box(cache.evaluate(&allowed)).allowed);
    Ok(())
}

fn call(scopes: &[Scope]) -> PolicyRequest {
    let tool = Tool {
        id: "acme.notes.add".into(),
        skill: "acme.notes".into(),
        publisher: "acme".into(),
        trust: TrustState::Trusted,
        sensitive: false,
        requires_approval: false,
    };
    PolicyRequest {
        principal: Principal::new(PrincipalKind::Token, "editor", scopes.iter().copied()),
        action: Action::Invoke,
        resource: Resource::Tool(tool),
        context: PolicyContext::new(Face::Http),
    }
}

fn measure(what: &str, mut once: impl FnMut() -> bool) {
    let mut times: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            black_box(once());
            started.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let at = |part: usize| times.get(ROUNDS * part / 100).copied().unwrap_or_default() as f64 / 1e3;
    println!("{what:<19} {:>9.1} µs p50 {:>9.1} µs p99", at(50), at(99));
}

//! Delay until a spinning guest is stopped.

use super::Bench;
use crate::guests;
use crate::row::Measured;
use crate::sample::median;
use anyhow::{Result, ensure};
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use palyra_plugins_runtime::Invocation;
use std::time::{Duration, Instant};

/// Interval of the runtime's ticker.
const TICK: Duration = Duration::from_millis(10);

/// Measures the median delay in ticks, rounded up: a stop within the tick after the limit is 1.
pub async fn overshoot(bench: &Bench) -> Result<Measured> {
    let mut spinning = bench.ours.prepare(&guests::spinning()?, "{}").await?;
    let mut late = Vec::new();
    for run in 0..bench.pick(60, 300) {
        // The limit falls on a different point between two ticks each time.
        let limit_ms = 30 + run * 7 % 10;
        let limits = RuntimeLimits {
            wall_clock_timeout_ms: limit_ms,
            fuel_budget: u64::MAX >> 1,
            ..RuntimeLimits::default()
        };
        spinning.invocation = Invocation { limits, ..spinning.invocation };
        let started = Instant::now();
        let report = spinning.runtime.invoke(&spinning.module, spinning.invocation.clone()).await;
        let elapsed = started.elapsed();
        ensure!(
            matches!(report.result, Err(WasmPluginRunError::TimedOut { .. })),
            "the guest was not stopped by time"
        );
        late.push(elapsed.saturating_sub(Duration::from_millis(limit_ms)).as_secs_f64() / TICK.as_secs_f64());
    }
    let most = late.iter().copied().fold(0.0, f64::max);
    let within = late.iter().filter(|ticks| **ticks <= 1.0).count();
    let note = format!(
        "p50 {:.2} ticks, at most {most:.2}; {within} of {} runs within one tick",
        median(late.clone()),
        late.len()
    );
    let ticks = median(late.iter().map(|ticks| ticks.ceil()).collect());
    Ok(Measured { ours: ticks, baseline: None, note: Some(note) })
}

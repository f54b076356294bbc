//! All rows: their names, their comparisons, and their goals.

mod agent;
mod cold;
mod corridor;
mod counters;
mod extism;
mod http;
mod http_call;
mod install;
mod journal;
mod naive;
mod stale_bytes;
mod throughput;
mod timeout;
mod verify;
mod warm;

use crate::ours::Ours;
use crate::report;
use crate::row::Compare::{BaselineOverOurs, OursAlone, OursOverBaseline};
use crate::row::Goal::{AtLeast, AtMost, Reported};
use crate::row::{Compare, Goal, Measured, Row};
use anyhow::Result;
use std::pin::Pin;

/// The common setup of all rows.
pub struct Bench {
    pub ours: Ours,
    pub quick: bool,
}

impl Bench {
    /// Returns the first value for a quick run, the second for a full one.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// A row to measure.
pub struct RowSpec {
    pub name: &'static str,
    unit: &'static str,
    compare: Compare,
    goal: Goal,
    measure: Measure,
}

type Measure = for<'a> fn(&'a Bench) -> Pin<Box<dyn Future<Output = Result<Measured>> + 'a>>;

/// Reason why a row cannot be measured on this machine, which is not a failure of the measured code.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotMeasured(pub String);

/// The rows in the order they are measured and shown.
pub const ROWS: &[RowSpec] = &[
    row("warm_core_256b", "us", OursOverBaseline, AtMost(1.30), |bench| Box::pin(warm::core_256b(bench))),
    row("warm_component_256b", "us", OursOverBaseline, AtMost(1.30), |bench| {
        Box::pin(warm::component_256b(bench))
    }),
    row("warm_component_64k", "us", OursOverBaseline, AtMost(1.20), |bench| {
        Box::pin(warm::component_64k(bench))
    }),
    row("warm_js_component", "us", OursOverBaseline, AtMost(1.10), |bench| Box::pin(warm::javascript(bench))),
    row("warm_rotation_200_modules", "us", OursOverBaseline, AtMost(1.5), |bench| {
        Box::pin(warm::rotation(bench))
    }),
    row("default_wasmtime_vs_ours", "us", BaselineOverOurs, AtLeast(2.0), |bench| {
        Box::pin(warm::default_engine(bench))
    }),
    row("fresh_vs_extism_fresh_256b", "us", BaselineOverOurs, AtLeast(18.0), |bench| {
        Box::pin(extism::fresh_256b(bench))
    }),
    row("fresh_vs_extism_fresh_64k", "us", BaselineOverOurs, AtLeast(12.0), |bench| {
        Box::pin(extism::fresh_64k(bench))
    }),
    row("fresh_vs_extism_reused_256b", "us", BaselineOverOurs, AtLeast(0.5), |bench| {
        Box::pin(extism::reused_256b(bench))
    }),
    row("fresh_vs_extism_reused_64k", "us", BaselineOverOurs, AtLeast(6.0), |bench| {
        Box::pin(extism::reused_64k(bench))
    }),
    row("vs_naive_tiny", "us", BaselineOverOurs, AtLeast(250.0), |bench| Box::pin(naive::tiny(bench))),
    row("vs_naive_js", "us", BaselineOverOurs, AtLeast(4_000.0), |bench| Box::pin(naive::javascript(bench))),
    row("cold_from_disk_js", "us", BaselineOverOurs, AtLeast(200.0), |bench| {
        Box::pin(cold::from_disk(bench))
    }),
    row("two_thread_scaling", "calls/s", OursOverBaseline, AtLeast(1.6), |bench| {
        Box::pin(throughput::two_threads(bench))
    }),
    row("async_vs_spawn_blocking", "calls/s", OursOverBaseline, AtLeast(2.5), |bench| {
        Box::pin(throughput::async_or_blocking(bench))
    }),
    row("timeout_overshoot_ticks", "ticks", OursAlone, AtMost(1.0), |bench| {
        Box::pin(timeout::overshoot(bench))
    }),
    row("faults_per_call", "faults", OursAlone, AtMost(0.0), |bench| Box::pin(counters::faults(bench))),
    row("syscalls_per_call", "calls", OursAlone, AtMost(0.0), |bench| Box::pin(counters::syscalls(bench))),
    row("rss_growth_200k_calls", "KiB", OursAlone, AtMost(256.0), |bench| {
        Box::pin(counters::rss_growth(bench))
    }),
    row("stale_bytes_under_compaction", "instances", OursAlone, AtMost(0.0), |bench| {
        Box::pin(stale_bytes::instances(bench))
    }),
    row("host_call_http_guard", "us", OursOverBaseline, AtMost(1.5), |bench| Box::pin(http::guard(bench))),
    row("verify_vs_hash_and_signature_1m", "us", OursOverBaseline, AtMost(1.5), |bench| {
        Box::pin(verify::one_mebibyte(bench))
    }),
    row("verify_vs_hash_and_signature_16m", "us", OursOverBaseline, AtMost(1.5), |bench| {
        Box::pin(verify::sixteen_mebibytes(bench))
    }),
    row("install_1mb_vs_write_fsync", "us", OursOverBaseline, Reported, |bench| {
        Box::pin(install::one_megabyte(bench))
    }),
    row("journal_append_vs_insert", "us", OursOverBaseline, AtMost(2.0), |bench| {
        Box::pin(journal::against_insert(bench))
    }),
    row("journal_append_growth", "us", OursOverBaseline, AtMost(1.2), |bench| {
        Box::pin(journal::growth(bench))
    }),
    row("corridor_in_process", "us", OursOverBaseline, AtMost(4.0), |bench| {
        Box::pin(corridor::in_process(bench))
    }),
    row("corridor_growth_10k_tools", "us", OursOverBaseline, AtMost(1.2), |bench| {
        Box::pin(corridor::growth_of_tools(bench))
    }),
    row("corridor_growth_1m_events", "us", OursOverBaseline, AtMost(1.2), |bench| {
        Box::pin(corridor::growth_of_journal(bench))
    }),
    row("agent_loop_per_step", "us", OursOverBaseline, AtMost(20.0), |bench| {
        Box::pin(agent::loop_per_step(bench))
    }),
    row("http_call", "calls/s", OursOverBaseline, AtLeast(0.6), |bench| {
        Box::pin(http_call::throughput(bench))
    }),
    row("http_call_p99_over_p50", "us", OursOverBaseline, AtMost(4.0), |bench| {
        Box::pin(http_call::tail(bench))
    }),
];

const fn row(
    name: &'static str,
    unit: &'static str,
    compare: Compare,
    goal: Goal,
    measure: Measure,
) -> RowSpec {
    RowSpec { name, unit, compare, goal, measure }
}

/// Measures the selected rows one after another, printing each result.
pub async fn measure_all(quick: bool, wanted: impl Fn(&str) -> bool) -> Result<Vec<Row>> {
    let bench = Bench { ours: Ours::new()?, quick };
    let mut rows = Vec::new();
    for spec in ROWS.iter().filter(|spec| wanted(spec.name)) {
        let row = match (spec.measure)(&bench).await {
            Ok(measured) => Row::judge(spec.name, spec.unit, spec.compare, spec.goal, measured),
            Err(error) => match error.downcast::<NotMeasured>() {
                Ok(NotMeasured(reason)) => Row::not_measured(spec.name, spec.unit, spec.goal, reason),
                Err(error) => return Err(error.context(format!("row `{}`", spec.name))),
            },
        };
        eprintln!("{}", report::line(&row));
        rows.push(row);
    }
    Ok(rows)
}

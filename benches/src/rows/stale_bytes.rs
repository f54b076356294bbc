//! Row N4 in a long run: checks that a fresh instance never sees bytes of an earlier one while the kernel moves pages.

use super::{Bench, NotMeasured};
use crate::guests;
use crate::ours::Prepared;
use crate::row::Measured;
use anyhow::{Result, ensure};
use palyra_common::RuntimeLimits;
use palyra_plugins_runtime::{EngineClass, Invocation};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinSet;

/// Counts instances of both pool classes that see bytes other than zero.
pub async fn instances(bench: &Bench) -> Result<Measured> {
    let compacting = Compacting::start()?;
    let (mut stale, mut seen) = (0, 0);
    for (pages, class, count) in [
        (4, EngineClass::Keep, bench.pick(5_000, 50_000)),
        (40, EngineClass::General, bench.pick(3_000, 20_000)),
    ] {
        let mut looking = bench.ours.prepare(&guests::looking_for_stale_bytes(pages)?, "{}").await?;
        ensure!(looking.module.class() == class, "{pages} pages are not in the pool {class:?}");
        let limits = RuntimeLimits { fuel_budget: 1 << 40, ..RuntimeLimits::default() };
        looking.invocation = Invocation { limits, ..looking.invocation };
        let mut running = JoinSet::new();
        for _ in 0..2 {
            running.spawn(look(looking.clone(), count / 2));
        }
        while let Some(found) = running.join_next().await {
            stale += found??;
        }
        seen += count;
    }
    let note = format!("{seen} instances, memory compacted {} times meanwhile", compacting.stop().await?);
    Ok(Measured { ours: stale as f64, baseline: None, note: Some(note) })
}

async fn look(looking: Prepared, count: u64) -> Result<u64> {
    let mut stale = 0;
    for _ in 0..count {
        match looking.output().await?.as_str() {
            "0" => {}
            _ => stale += 1,
        }
    }
    Ok(stale)
}

/// Makes the kernel compact memory repeatedly, on its own thread.
struct Compacting {
    stop: Arc<AtomicBool>,
    thread: tokio::task::JoinHandle<u64>,
}

impl Compacting {
    fn start() -> Result<Self> {
        compact().map_err(|error| NotMeasured(format!("memory cannot be compacted here: {error}")))?;
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = tokio::task::spawn_blocking(move || {
            let mut times = 0;
            while !asked.load(Ordering::Relaxed) && compact().is_ok() {
                times += 1;
            }
            times
        });
        Ok(Self { stop, thread })
    }

    /// Stops compacting; returns how often it was done.
    async fn stop(self) -> Result<u64> {
        self.stop.store(true, Ordering::Relaxed);
        Ok(self.thread.await?)
    }
}

fn compact() -> std::io::Result<()> {
    std::fs::write("/proc/sys/vm/compact_memory", "1")
}

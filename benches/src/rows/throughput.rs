//! Calls per second on two threads, and on async workers compared with blocking threads.

use super::Bench;
use crate::ours::Prepared;
use crate::row::Measured;
use crate::sample::median;
use anyhow::Result;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Number of concurrent callers when async and blocking threads are compared.
const CALLERS: usize = 16;

/// Compares two callers with one. The runtime has two workers, so one caller keeps one thread busy and two keep two.
pub async fn two_threads(bench: &Bench) -> Result<Measured> {
    let echo = bench.ours.echo_component(&bench.ours.guests.input_256).await?;
    let (mut two, mut one) = (Vec::new(), Vec::new());
    for _ in 0..bench.pick(11, 41) {
        two.push(calls_per_second(2, || directly(echo.clone())).await?);
        one.push(calls_per_second(1, || directly(echo.clone())).await?);
    }
    Ok(Measured { ours: median(two), baseline: Some(median(one)), note: None })
}

/// Compares the same callers on the same two workers; the baseline passes every call to a blocking thread.
pub async fn async_or_blocking(bench: &Bench) -> Result<Measured> {
    let echo = bench.ours.echo_component(&bench.ours.guests.input_256).await?;
    let (mut inline, mut blocking) = (Vec::new(), Vec::new());
    for _ in 0..bench.pick(11, 41) {
        inline.push(calls_per_second(CALLERS, || directly(echo.clone())).await?);
        blocking.push(calls_per_second(CALLERS, || on_a_blocking_thread(echo.clone())).await?);
    }
    let note = format!("{CALLERS} callers, 2 workers");
    Ok(Measured { ours: median(inline), baseline: Some(median(blocking)), note: Some(note) })
}

/// Runs the callers for a moment and returns their calls per second.
async fn calls_per_second<F>(callers: usize, caller: impl Fn() -> F) -> Result<f64>
where
    F: Future<Output = Result<u64>> + Send + 'static,
{
    let started = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..callers {
        running.spawn(caller());
    }
    let mut calls = 0;
    while let Some(done) = running.join_next().await {
        calls += done??;
    }
    Ok(calls as f64 / started.elapsed().as_secs_f64())
}

const MOMENT: Duration = Duration::from_millis(100);

async fn directly(echo: Prepared) -> Result<u64> {
    let end = Instant::now() + MOMENT;
    let mut calls = 0;
    while Instant::now() < end {
        echo.call().await?;
        calls += 1;
        // A server would read the next request here; yielding lets the other callers run.
        tokio::task::yield_now().await;
    }
    Ok(calls)
}

async fn on_a_blocking_thread(echo: Prepared) -> Result<u64> {
    let end = Instant::now() + MOMENT;
    let mut calls = 0;
    while Instant::now() < end {
        let (echo, handle) = (echo.clone(), tokio::runtime::Handle::current());
        tokio::task::spawn_blocking(move || handle.block_on(echo.call())).await??;
        calls += 1;
    }
    Ok(calls)
}

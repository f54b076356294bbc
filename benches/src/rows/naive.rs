//! A warm call compared with an engine, a compilation and a linker per call.
//!
//! The naive side counts fuel and epochs, because a call that cannot be stopped is no alternative; the note gives
//! the ratio beside the engine's defaults.

use super::Bench;
use crate::bare::Metered;
use crate::naive::call_from_nothing;
use crate::ours::Prepared;
use crate::row::Measured;
use crate::sample::{Plan, in_turn, median};
use anyhow::{Result, ensure};
use std::time::Instant;

pub async fn tiny(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let ours = bench.ours.echo_component(&guests.input_256).await?;
    let rounds = bench.pick(100, 1_000);
    let plan = Plan { rounds, ours_per_round: 20, baseline_per_round: 1 };
    beside_naive(plan, &ours, &guests.echo_component, &guests.input_256).await
}

pub async fn javascript(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let ours = bench.ours.javascript().await?;
    // One compilation takes a second or more.
    let plan = Plan { rounds: bench.pick(3, 7), ours_per_round: 350, baseline_per_round: 1 };
    beside_naive(plan, &ours, &guests.javascript, &guests.input_javascript).await
}

async fn beside_naive(plan: Plan, ours: &Prepared, guest: &[u8], input: &str) -> Result<Measured> {
    let naive = async || call_from_nothing(guest, input, Metered::Yes).await;
    ensure!(ours.output().await? == naive().await?, "the two sides return different outputs");
    let medians = in_turn(plan, || ours.call(), async || naive().await.map(drop)).await?;
    let defaults = unmetered(guest, input).await?;
    let note =
        format!("{:.0} beside the engine's defaults, which cannot stop a guest", defaults / medians.ours);
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: Some(note) })
}

/// Returns the median of a few calls without limits, in microseconds.
async fn unmetered(guest: &[u8], input: &str) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        call_from_nothing(guest, input, Metered::No).await?;
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

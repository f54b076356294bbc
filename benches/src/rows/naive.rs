//! A warm call of ours beside an engine, a compilation and a linker per call.

use super::Bench;
use crate::naive::call_from_nothing;
use crate::ours::Prepared;
use crate::row::Measured;
use crate::sample::{Plan, in_turn};
use anyhow::{Result, ensure};

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
    ensure!(
        ours.output().await? == call_from_nothing(guest, input).await?,
        "the two sides return different outputs"
    );
    let medians =
        in_turn(plan, || ours.call(), async || call_from_nothing(guest, input).await.map(drop)).await?;
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: None })
}

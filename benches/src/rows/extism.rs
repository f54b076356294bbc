//! Compares a fresh component with a plugin of Extism, both fresh and reused.
//!
//! Palyra always runs under limits, so Extism does too; the note contains its time without limits.

use super::Bench;
use crate::extism_echo::{ExtismEcho, Limits, call};
use crate::row::Measured;
use crate::sample::{Medians, Plan, in_turn};
use anyhow::{Result, ensure};

pub async fn fresh_256b(bench: &Bench) -> Result<Measured> {
    let input = &bench.ours.guests.input_256;
    Ok(measured(fresh(bench, input, Limits::Same).await?, fresh(bench, input, Limits::None).await?))
}

pub async fn fresh_64k(bench: &Bench) -> Result<Measured> {
    let input = &bench.ours.guests.input_64k;
    Ok(measured(fresh(bench, input, Limits::Same).await?, fresh(bench, input, Limits::None).await?))
}

pub async fn reused_256b(bench: &Bench) -> Result<Measured> {
    let input = &bench.ours.guests.input_256;
    Ok(measured(reused(bench, input, Limits::Same).await?, reused(bench, input, Limits::None).await?))
}

pub async fn reused_64k(bench: &Bench) -> Result<Measured> {
    let input = &bench.ours.guests.input_64k;
    Ok(measured(reused(bench, input, Limits::Same).await?, reused(bench, input, Limits::None).await?))
}

fn measured(with_limits: Medians, without: Medians) -> Measured {
    let note = format!("{:.2} when Extism runs without limits", without.baseline / without.ours);
    Measured { ours: with_limits.ours, baseline: Some(with_limits.baseline), note: Some(note) }
}

async fn fresh(bench: &Bench, input: &str, limits: Limits) -> Result<Medians> {
    let ours = bench.ours.echo_component(input).await?;
    let theirs = ExtismEcho::compile(limits)?;
    ensure!(theirs.call_fresh(input)? == ours.output().await?, "the two sides return different outputs");
    let plan = bench.pick(Plan::even(20, 50), Plan::even(100, 50));
    in_turn(plan, || ours.call(), async || theirs.call_fresh(input).map(drop)).await
}

async fn reused(bench: &Bench, input: &str, limits: Limits) -> Result<Medians> {
    let ours = bench.ours.echo_component(input).await?;
    let mut plugin = ExtismEcho::compile(limits)?.plugin()?;
    ensure!(call(&mut plugin, input)? == ours.output().await?, "the two sides return different outputs");
    let plan = bench.pick(Plan::even(20, 100), Plan::even(100, 100));
    in_turn(plan, || ours.call(), async || call(&mut plugin, input).map(drop)).await
}

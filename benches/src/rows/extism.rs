//! A fresh component of ours beside Extism's plugin, fresh and with its state kept.

use super::Bench;
use crate::extism_echo::{ExtismEcho, call};
use crate::row::Measured;
use crate::sample::{Plan, in_turn};
use anyhow::{Result, ensure};

pub async fn fresh_256b(bench: &Bench) -> Result<Measured> {
    fresh(bench, &bench.ours.guests.input_256).await
}

pub async fn fresh_64k(bench: &Bench) -> Result<Measured> {
    fresh(bench, &bench.ours.guests.input_64k).await
}

pub async fn reused_256b(bench: &Bench) -> Result<Measured> {
    reused(bench, &bench.ours.guests.input_256).await
}

pub async fn reused_64k(bench: &Bench) -> Result<Measured> {
    reused(bench, &bench.ours.guests.input_64k).await
}

async fn fresh(bench: &Bench, input: &str) -> Result<Measured> {
    let ours = bench.ours.echo_component(input).await?;
    let theirs = ExtismEcho::compile()?;
    ensure!(theirs.call_fresh(input)? == ours.output().await?, "the two sides return different outputs");
    let plan = bench.pick(Plan::even(20, 50), Plan::even(100, 50));
    let medians = in_turn(plan, || ours.call(), async || theirs.call_fresh(input).map(drop)).await?;
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: None })
}

async fn reused(bench: &Bench, input: &str) -> Result<Measured> {
    let ours = bench.ours.echo_component(input).await?;
    let mut plugin = ExtismEcho::compile()?.plugin()?;
    ensure!(call(&mut plugin, input)? == ours.output().await?, "the two sides return different outputs");
    let plan = bench.pick(Plan::even(20, 100), Plan::even(100, 100));
    let medians = in_turn(plan, || ours.call(), async || call(&mut plugin, input).map(drop)).await?;
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: None })
}

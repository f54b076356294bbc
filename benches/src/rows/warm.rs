//! A warm call compared with the same call on the bare engine with the same pool class.

use super::Bench;
use crate::bare::{BareComponent, BareCore, Metered};
use crate::guests::numbered_echo;
use crate::ours::Prepared;
use crate::row::Measured;
use crate::sample::{Medians, Plan, in_turn};
use anyhow::{Result, ensure};
use std::sync::atomic::{AtomicUsize, Ordering};
use wasmtime::Engine;

pub async fn core_256b(bench: &Bench) -> Result<Measured> {
    let input = &bench.ours.guests.input_256;
    let ours = bench.ours.echo_core(input).await?;
    let engine = bench.ours.runtime.engine(ours.module.class());
    let bare = BareCore::new(engine, &bench.ours.guests.echo_core)?;
    ensure!(
        ours.output().await?.as_bytes() == bare.call(input).await?,
        "the two sides return different outputs"
    );
    let plan = bench.pick(Plan::even(50, 200), Plan::even(200, 200));
    let medians = in_turn(plan, || ours.call(), async || bare.call(input).await.map(drop)).await?;
    Ok(measured(medians))
}

pub async fn component_256b(bench: &Bench) -> Result<Measured> {
    echo_component(bench, &bench.ours.guests.input_256).await
}

pub async fn component_64k(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let document = echo_checked(bench, &guests.input_64k).await?;
    let records = echo_checked(bench, &guests.input_64k_records).await?;
    let unchecked = echo_component(bench, &guests.input_64k).await?;
    let note = format!(
        "{:.2} when the output is a list of small records; {:.2} beside a call whose output nobody checks",
        records.ours / records.baseline,
        unchecked.ours / unchecked.baseline.unwrap_or(f64::NAN)
    );
    Ok(Measured { note: Some(note), ..measured(document) })
}

pub async fn javascript(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let ours = bench.ours.javascript().await?;
    let plan = bench.pick(Plan::even(60, 20), Plan::even(200, 20));
    beside_bare(bench, plan, &ours, &guests.javascript, &guests.input_javascript).await
}

async fn echo_component(bench: &Bench, input: &str) -> Result<Measured> {
    let ours = bench.ours.echo_component(input).await?;
    let plan = bench.pick(Plan::even(50, 200), Plan::even(200, 200));
    beside_bare(bench, plan, &ours, &bench.ours.guests.echo_component, input).await
}

/// Measures a large output. Most of the time validates it as JSON, so the bare side validates it too.
async fn echo_checked(bench: &Bench, input: &str) -> Result<Medians> {
    let ours = bench.ours.echo_component(input).await?;
    let engine = bench.ours.runtime.engine(ours.module.class());
    let bare = BareComponent::new(engine, &bench.ours.guests.echo_component, Metered::Yes)?;
    let checked = async || {
        let output = bare.call(input).await?;
        serde_json::from_str::<serde::de::IgnoredAny>(&output)?;
        anyhow::Ok(())
    };
    in_turn(bench.pick(Plan::even(50, 200), Plan::even(200, 200)), || ours.call(), checked).await
}

async fn beside_bare(
    bench: &Bench,
    plan: Plan,
    ours: &Prepared,
    guest: &[u8],
    input: &str,
) -> Result<Measured> {
    let engine = bench.ours.runtime.engine(ours.module.class());
    let bare = BareComponent::new(engine, guest, Metered::Yes)?;
    against(plan, ours, &bare, input).await
}

/// Compares with Wasmtime's default configuration: memory on demand, no fuel, no epochs, no limits.
pub async fn default_engine(bench: &Bench) -> Result<Measured> {
    let input = &bench.ours.guests.input_256;
    let ours = bench.ours.echo_component(input).await?;
    let bare = BareComponent::new(&Engine::default(), &bench.ours.guests.echo_component, Metered::No)?;
    against(bench.pick(Plan::even(20, 100), Plan::even(100, 100)), &ours, &bare, input).await
}

async fn against(plan: Plan, ours: &Prepared, bare: &BareComponent, input: &str) -> Result<Measured> {
    ensure!(ours.output().await? == bare.call(input).await?, "the two sides return different outputs");
    let medians = in_turn(plan, || ours.call(), async || bare.call(input).await.map(drop)).await?;
    Ok(measured(medians))
}

/// Compares calls that rotate over many modules with calls of one of them.
pub async fn rotation(bench: &Bench) -> Result<Measured> {
    const MODULES: usize = 200;
    let input = &bench.ours.guests.input_256;
    let mut modules = Vec::new();
    for number in 0..MODULES {
        modules.push(bench.ours.prepare(&numbered_echo(number)?, input).await?);
    }
    let one = bench.ours.echo_core(input).await?;
    let next = AtomicUsize::new(0);
    let in_rotation = async || {
        let turn = next.fetch_add(1, Ordering::Relaxed);
        modules[turn % MODULES].call().await
    };
    // Every module runs once before the measurement.
    for _ in 0..MODULES {
        in_rotation().await?;
    }
    let plan = bench.pick(Plan::even(50, 200), Plan::even(200, 200));
    let medians = in_turn(plan, in_rotation, || one.call()).await?;
    Ok(Measured { note: Some(format!("{MODULES} modules in turn, beside one")), ..measured(medians) })
}

fn measured(medians: Medians) -> Measured {
    Measured { ours: medians.ours, baseline: Some(medians.baseline), note: None }
}

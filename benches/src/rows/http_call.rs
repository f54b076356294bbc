//! Calls over HTTP: the daemon compared with a bare handler that makes the bare call and inserts one row.

mod bare_server;

use super::Bench;
use crate::clients::Clients;
use crate::row::Measured;
use crate::sample::median;
use crate::served::OurServer;
use anyhow::{Context, Result};
use bare_server::BareServer;

/// Measures calls per second of 64 clients, with group commit on both sides.
pub async fn throughput(bench: &Bench) -> Result<Measured> {
    let ours = OurServer::start(&bench.ours.guests).await?;
    let bare = BareServer::start(bench).await?;
    let (ours, bare) = (Clients::connect(&ours.target).await?, Clients::connect(&bare.target).await?);
    let (mut our_rates, mut bare_rates) = (Vec::new(), Vec::new());
    ours.turn().await?;
    bare.turn().await?;
    for _ in 0..bench.pick(10, 40) {
        our_rates.push(ours.turn().await?.per_second);
        bare_rates.push(bare.turn().await?.per_second);
    }
    let note = "64 clients in the same process; the bare side inserts one row for each call".to_owned();
    Ok(Measured { ours: median(our_rates), baseline: Some(median(bare_rates)), note: Some(note) })
}

/// Compares the slowest of a hundred calls with the median, with 64 clients.
pub async fn tail(bench: &Bench) -> Result<Measured> {
    let server = OurServer::start(&bench.ours.guests).await?;
    let clients = Clients::connect(&server.target).await?;
    clients.turn().await?;
    let mut times = Vec::new();
    for _ in 0..bench.pick(10, 40) {
        times.extend(clients.turn().await?.micros);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len() * share / 100).copied().context("nothing was measured");
    Ok(Measured { ours: at(99)?, baseline: Some(at(50)?), note: Some(format!("{} calls", times.len())) })
}

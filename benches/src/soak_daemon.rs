//! A long run of the daemon, whose memory must not grow with the journal.

use crate::clients::{CALLS_OF_A_TURN, Clients};
use crate::guests::Guests;
use crate::process::ProcessSize;
use crate::served::OurServer;
use crate::soak::{is_flat, show};
use anyhow::Result;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Maximum growth of resident memory in KiB after the first stretch; caches of the database fill slowly.
const MAX_GROWTH_KIB: u64 = 8 * 1_024;
/// Time between two measurements; the first stretch fills buffers, caches and threads.
const STRETCH: Duration = Duration::from_secs(120);
/// Duration of calls without a pause at the start: resources that accumulate under load have accumulated then, so that
/// later growth is a leak.
const RUSH: Duration = Duration::from_secs(20);

/// Calls for this many minutes; returns `false` if memory, threads or descriptors grow.
pub async fn soak(minutes: u64, rate: u64) -> Result<bool> {
    let server = OurServer::start(&Guests::read()?).await?;
    let clients = Clients::connect(&server.target).await?;
    let mut turns = interval(Duration::from_micros(CALLS_OF_A_TURN * 1_000_000 / rate.max(1)));
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    println!("{:>10} {:>10} {:>8} {:>12}", "calls", "rss KiB", "threads", "descriptors");
    let (mut calls, mut start, mut flat) = (0, None, true);
    let rush = Instant::now() + RUSH;
    while Instant::now() < rush {
        clients.turn().await?;
        calls += CALLS_OF_A_TURN;
    }
    let end = Instant::now() + Duration::from_secs(minutes * 60);
    while Instant::now() < end {
        let stretch = Instant::now() + STRETCH.min(end.duration_since(Instant::now()));
        while Instant::now() < stretch {
            turns.tick().await;
            clients.turn().await?;
            calls += CALLS_OF_A_TURN;
        }
        let now = ProcessSize::now()?;
        show(calls, now);
        flat &= is_flat(*start.get_or_insert(now), now, MAX_GROWTH_KIB);
    }
    println!("{}", if flat { "flat" } else { "NOT flat: memory, threads or descriptors grew" });
    Ok(flat)
}

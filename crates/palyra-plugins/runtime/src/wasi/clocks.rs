//! The clocks of guests: every reading is recorded on the tape, and a replayed sleep ends immediately.

use crate::capabilities::or_stop;
use crate::run_state::RunState;
use async_trait::async_trait;
use std::time::Duration;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::{self, Instant};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::{self, Datetime};
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};

const NANOS: u64 = 1_000_000_000;
/// Resolution of the clocks. A finer one could be used as a timer for side-channel attacks.
const RESOLUTION_NANOS: u64 = 1_000;

impl wall_clock::Host for RunState {
    fn now(&mut self) -> wasmtime::Result<Datetime> {
        let nanos = coarse(or_stop(self.run.wall_nanos())?);
        Ok(Datetime { seconds: nanos / NANOS, nanoseconds: u32::try_from(nanos % NANOS).unwrap_or(0) })
    }

    fn resolution(&mut self) -> wasmtime::Result<Datetime> {
        Ok(Datetime { seconds: 0, nanoseconds: u32::try_from(RESOLUTION_NANOS).unwrap_or(u32::MAX) })
    }
}

impl monotonic_clock::Host for RunState {
    fn now(&mut self) -> wasmtime::Result<Instant> {
        Ok(coarse(or_stop(self.run.monotonic_nanos())?))
    }

    fn resolution(&mut self) -> wasmtime::Result<Instant> {
        Ok(RESOLUTION_NANOS)
    }

    fn subscribe_instant(&mut self, when: Instant) -> wasmtime::Result<Resource<DynPollable>> {
        let now = or_stop(self.run.monotonic_nanos())?;
        self.sleep(when.saturating_sub(now))
    }

    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
        self.sleep(duration)
    }
}

impl RunState {
    fn sleep(&mut self, nanos: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let nanos = if self.run.is_replay { 0 } else { nanos };
        let until = tokio::time::Instant::now().checked_add(Duration::from_nanos(nanos));
        let sleep = self.table.push(Sleep { until })?;
        subscribe(&mut self.table, sleep)
    }
}

fn coarse(nanos: u64) -> u64 {
    nanos - nanos % RESOLUTION_NANOS
}

/// A point in time to wait for. `None` never arrives; the deadline of the run ends the wait.
struct Sleep {
    until: Option<tokio::time::Instant>,
}

#[async_trait]
impl Pollable for Sleep {
    async fn ready(&mut self) {
        match self.until {
            Some(until) if until <= tokio::time::Instant::now() => tokio::task::yield_now().await,
            Some(until) => tokio::time::sleep_until(until).await,
            None => std::future::pending().await,
        }
    }
}

//! Polling with the tape: the set of ready pollables is an external input, like a clock.

use crate::capabilities::or_stop;
use crate::run_context::{BegunStep, HostFailure};
use crate::run_state::RunState;
use serde_json::Value;
use wasmtime::component::Resource;
use wasmtime_wasi_io::bindings::wasi::io::poll::{Host, HostPollable};
use wasmtime_wasi_io::poll::DynPollable;

/// Pollables one call may wait for.
const MAX_POLLABLES: usize = 1_024;

impl Host for RunState {
    async fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        if pollables.len() > MAX_POLLABLES {
            return Err(wasmtime::format_err!("more than {MAX_POLLABLES} pollables in one call"));
        }
        match or_stop(self.run.begin("poll.poll", Value::Null))? {
            BegunStep::Live(index) => {
                let ready = Host::poll(&mut self.table, pollables).await?;
                // The answer has at most one number per pollable, so it is kept even if the tape has no room for
                // another step.
                let taped = serde_json::to_value(&ready).unwrap_or(Value::Null);
                self.run.changing().tape.answer_shortly(index, taped);
                Ok(ready)
            }
            BegunStep::Replayed(index, answer) => {
                let ready: Vec<u32> = self.taped(index, answer)?;
                for at in &ready {
                    // Waits until the recorded pollables are ready, which on a replay needs no external input.
                    let pollable = usize::try_from(*at).ok().and_then(|at| pollables.get(at));
                    if let Some(pollable) = pollable {
                        HostPollable::block(&mut self.table, Resource::new_borrow(pollable.rep())).await?;
                    }
                }
                Ok(ready)
            }
        }
    }
}

impl HostPollable for RunState {
    async fn block(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        HostPollable::block(&mut self.table, pollable).await
    }

    async fn ready(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<bool> {
        // In a live run the answer is determined first, because the tape records a reading with its value.
        let live = if self.run.is_replay {
            false
        } else {
            HostPollable::ready(&mut self.table, Resource::new_borrow(pollable.rep())).await?
        };
        let ready = or_stop(self.run.observe("poll.ready", || u64::from(live)))? != 0;
        if ready && self.run.is_replay {
            HostPollable::block(&mut self.table, pollable).await?;
        }
        Ok(ready)
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        HostPollable::drop(&mut self.table, pollable)
    }
}

impl RunState {
    fn taped<T: serde::de::DeserializeOwned>(&self, index: usize, answer: Value) -> wasmtime::Result<T> {
        serde_json::from_value(answer).or_else(|error| {
            self.run.changing().tape.diverge(index, "answer", "a poll answer".into(), error.to_string());
            or_stop(Err(HostFailure::Stopped))
        })
    }
}

//! Overhead of the agent loop in addition to a tool call.

use super::Bench;
use crate::row::Measured;
use anyhow::Result;

// `cargo xtask figures` uses the same measurement.
#[path = "../../../crates/palyra-daemon/examples/figures/agent_steps.rs"]
mod agent_steps;

/// Compares the loop around a tool call with the call through the pipeline. The loop includes a request to a model that
/// answers at once, the plans and their rows.
pub async fn loop_per_step(bench: &Bench) -> Result<Measured> {
    let (step, call) = agent_steps::measure(bench.pick(20, 99), bench.pick(5, 20)).await?;
    let note = format!("a whole step takes {:.2} ms", step);
    Ok(Measured { ours: (step - call) * 1e3, baseline: Some(call * 1e3), note: Some(note) })
}

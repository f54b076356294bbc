//! A call of an installed tool compared with the bare call of its module, and how its cost grows.

use super::Bench;
use crate::bare::BareCore;
use crate::home::{Home, invocation};
use crate::process::cpu_micros_without;
use crate::row::Measured;
use crate::sample::median;
use anyhow::Result;
use palyra_journal::{EventKind, NewEvent};
use palyra_runner::{ToolCaller, ToolInvocation};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Threads that work after a leaf was handed over: one commits, the other one folds the log.
const JOURNAL: &[&str] = &["palyra-journal", "palyra-folding"];
/// Number of concurrent calls on both sides.
const CALLERS: usize = 16;
/// Number of calls per caller in a turn.
const CALLS: usize = 50;

/// Measures the CPU time of a call in the whole process, without the threads of the journal.
pub async fn in_process(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let home = Home::with_echo(&guests.echo_core, 1, 1)?;
    let ours = Corridor::new(&home, &guests.input_256_object)?;
    let module = bench.ours.runtime.load(&guests.echo_core).await?;
    let bare = BareCore::new(bench.ours.runtime.engine(module.class()), &guests.echo_core)?;
    let bare = Bare { module: Arc::new(bare), input: Arc::clone(&guests.input_256_object) };
    let (mut our_turns, mut bare_turns) = (Vec::new(), Vec::new());
    ours.turn().await?;
    for _ in 0..bench.pick(15, 60) {
        our_turns.push(ours.turn().await?);
        bare_turns.push(bare.turn().await?);
    }
    let note = format!("CPU of {CALLERS} callers, without the threads of the journal");
    Ok(Measured { ours: median(our_turns), baseline: Some(median(bare_turns)), note: Some(note) })
}

/// Compares a call with many installed tools with one with a single tool.
pub async fn growth_of_tools(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let (skills, tools) = bench.pick((20, 50), (200, 50));
    let many = Home::with_echo(&guests.echo_core, skills, tools)?;
    let one = Home::with_echo(&guests.echo_core, 1, 1)?;
    let note = format!("{} tools installed, beside one", skills * tools);
    beside(bench, &many, &one, note).await
}

/// Compares a call with a very long journal with one with a short journal.
pub async fn growth_of_journal(bench: &Bench) -> Result<Measured> {
    let guests = &bench.ours.guests;
    let long = Home::with_echo(&guests.echo_core, 1, 1)?;
    let short = Home::with_echo(&guests.echo_core, 1, 1)?;
    let events = bench.pick(100_000, 1_000_000);
    fill(&long, events).await?;
    fill(&short, 1_000).await?;
    beside(bench, &long, &short, format!("a journal of {events} events, beside one that began with 1,000"))
        .await
}

async fn beside(bench: &Bench, large: &Home, small: &Home, note: String) -> Result<Measured> {
    let input = &bench.ours.guests.input_256_object;
    let (large, small) = (Corridor::new(large, input)?, Corridor::new(small, input)?);
    let (mut late, mut early) = (Vec::new(), Vec::new());
    large.timed_turn().await?;
    small.timed_turn().await?;
    for _ in 0..bench.pick(15, 60) {
        late.push(large.timed_turn().await?);
        early.push(small.timed_turn().await?);
    }
    Ok(Measured { ours: median(late), baseline: Some(median(early)), note: Some(note) })
}

/// Fills a journal with events of refused calls.
async fn fill(home: &Home, events: u64) -> Result<()> {
    for first in (0..events).step_by(4_096) {
        let appended: Vec<_> = (first..(first + 4_096).min(events))
            .map(|number| {
                let event = NewEvent::new(EventKind::RunRefused, 1_700_000_000_000 + number).actor("owner");
                home.state.journal().append(event.skill("bench.echo0").subject("bench.echo0.tool0"))
            })
            .collect();
        for appended in appended {
            appended.await?;
        }
    }
    Ok(())
}

/// A call through the pipeline.
struct Corridor {
    caller: Arc<ToolCaller>,
    invocation: ToolInvocation,
}

impl Corridor {
    fn new(home: &Home, input: &str) -> Result<Self> {
        Ok(Self { caller: Arc::new(home.caller()?), invocation: invocation(input)? })
    }

    /// Returns the CPU time of a call in microseconds.
    async fn turn(&self) -> Result<f64> {
        cpu_of_a_call(|| self.calls()).await
    }

    /// Returns the time of a call in microseconds, including the commit of its receipt.
    async fn timed_turn(&self) -> Result<f64> {
        let started = std::time::Instant::now();
        together(|| self.calls()).await?;
        Ok(started.elapsed().as_secs_f64() * 1e6 / (CALLERS * CALLS) as f64)
    }

    fn calls(&self) -> impl Future<Output = Result<()>> + Send + 'static {
        let (caller, invocation) = (Arc::clone(&self.caller), self.invocation.clone());
        async move {
            for _ in 0..CALLS {
                caller.call(invocation.clone()).await?;
            }
            Ok(())
        }
    }
}

/// A call of the bare engine.
struct Bare {
    module: Arc<BareCore>,
    input: Arc<str>,
}

impl Bare {
    async fn turn(&self) -> Result<f64> {
        cpu_of_a_call(|| {
            let (module, input) = (Arc::clone(&self.module), Arc::clone(&self.input));
            async move {
                for _ in 0..CALLS {
                    module.call(&input).await?;
                    // Yields like a caller that waits for its receipt, so that the other callers can run.
                    tokio::task::yield_now().await;
                }
                Ok(())
            }
        })
        .await
    }
}

async fn cpu_of_a_call<F>(calls: impl Fn() -> F) -> Result<f64>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let before = cpu_micros_without(JOURNAL)?;
    together(calls).await?;
    Ok((cpu_micros_without(JOURNAL)? - before) / (CALLERS * CALLS) as f64)
}

async fn together<F>(calls: impl Fn() -> F) -> Result<()>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let mut callers: JoinSet<Result<()>> = (0..CALLERS).map(|_| calls()).collect();
    while let Some(done) = callers.join_next().await {
        done??;
    }
    Ok(())
}

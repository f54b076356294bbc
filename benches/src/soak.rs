//! A long run of calls, whose memory must not grow.

use crate::guests;
use crate::ours::{Ours, Prepared};
use crate::process::ProcessSize;
use anyhow::{Result, ensure};
use palyra_common::WasmPluginRunError;
use tokio::task::JoinSet;

/// Maximum growth of resident memory in KiB after the first stretch.
const MAX_GROWTH_KIB: u64 = 1_024;
/// Number of calls between two measurements.
const STRETCH: u64 = 100_000;
/// Interval of calls that trap: resources of failed calls must not accumulate either.
const TRAP_EVERY: u64 = 1_000;
/// Number of concurrent callers.
const CALLERS: u64 = 2;

/// Makes this many calls; returns `false` if memory, threads or descriptors grow.
pub async fn soak(calls: u64) -> Result<bool> {
    let ours = Ours::new()?;
    let guests = Guests {
        component: ours.echo_component(&ours.guests.input_256).await?,
        core: ours.echo_core(&ours.guests.input_256).await?,
        trapping: ours.prepare(&guests::trapping()?, "{}").await?,
    };
    println!("{:>10} {:>10} {:>8} {:>12}", "calls", "rss KiB", "threads", "descriptors");
    show(0, ProcessSize::now()?);
    // The first stretch touches every slot, buffer and arena once; later ones must not grow.
    guests.stretch(STRETCH.min(calls)).await?;
    let start = ProcessSize::now()?;
    let (mut done, mut flat) = (STRETCH.min(calls), true);
    show(done, start);
    while done < calls {
        let count = STRETCH.min(calls - done);
        guests.stretch(count).await?;
        done += count;
        let now = ProcessSize::now()?;
        show(done, now);
        flat &= is_flat(start, now, MAX_GROWTH_KIB);
    }
    println!(
        "{}",
        if flat { "flat" } else { "NOT flat: memory, threads or descriptors grew after the first stretch" }
    );
    Ok(flat)
}

pub fn show(calls: u64, size: ProcessSize) {
    println!("{calls:>10} {:>10} {:>8} {:>12}", size.rss_kib, size.threads, size.descriptors);
}

pub fn is_flat(start: ProcessSize, now: ProcessSize, growth_kib: u64) -> bool {
    now.rss_kib <= start.rss_kib + growth_kib
        && now.threads <= start.threads
        && now.descriptors <= start.descriptors
}

#[derive(Clone)]
struct Guests {
    component: Prepared,
    core: Prepared,
    trapping: Prepared,
}

impl Guests {
    async fn stretch(&self, calls: u64) -> Result<()> {
        let mut running = JoinSet::new();
        for caller in 0..CALLERS {
            let share = calls / CALLERS + u64::from(caller < calls % CALLERS);
            let guests = self.clone();
            running.spawn(async move {
                for call in 0..share {
                    guests.call(call).await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(done) = running.join_next().await {
            done??;
        }
        Ok(())
    }

    async fn call(&self, number: u64) -> Result<()> {
        match number {
            number if number % TRAP_EVERY == 0 => self.trap().await,
            number if number % 2 == 0 => self.core.call().await,
            _ => self.component.call().await,
        }
    }

    async fn trap(&self) -> Result<()> {
        let report =
            self.trapping.runtime.invoke(&self.trapping.module, self.trapping.invocation.clone()).await;
        ensure!(matches!(report.result, Err(WasmPluginRunError::Trapped { .. })), "the guest did not trap");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_means_no_new_thread_or_descriptor_and_hardly_any_memory() {
        let start = ProcessSize { rss_kib: 10_000, threads: 4, descriptors: 9 };
        let flat = |now| is_flat(start, now, MAX_GROWTH_KIB);
        assert!(flat(ProcessSize { rss_kib: 11_024, ..start }));
        assert!(flat(ProcessSize { rss_kib: 9_000, ..start }));
        assert!(!flat(ProcessSize { rss_kib: 11_025, ..start }));
        assert!(!flat(ProcessSize { threads: 5, ..start }));
        assert!(!flat(ProcessSize { descriptors: 10, ..start }));
    }
}

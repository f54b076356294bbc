//! Costs that a warm call must not have: page faults, system calls, memory growth.

use super::{Bench, NotMeasured};
use crate::process::{minor_faults, rss_kib};
use crate::row::Measured;
use anyhow::{Context, Result, ensure};
use std::process::{Command, Stdio};

/// Number of calls before counting, which touch every slot of the pool and every buffer.
const WARM_UP: u64 = 20_000;

pub async fn faults(bench: &Bench) -> Result<Measured> {
    let echo = bench.ours.echo_component(&bench.ours.guests.input_256).await?;
    let calls = bench.pick(50_000, 200_000);
    for _ in 0..WARM_UP {
        echo.call().await?;
    }
    let before = minor_faults()?;
    for _ in 0..calls {
        echo.call().await?;
    }
    let faults = minor_faults()? - before;
    let note = format!("{faults} faults in {calls} calls");
    Ok(Measured { ours: faults as f64 / calls as f64, baseline: None, note: Some(note) })
}

pub async fn rss_growth(bench: &Bench) -> Result<Measured> {
    let echo = bench.ours.echo_component(&bench.ours.guests.input_256).await?;
    for _ in 0..WARM_UP {
        echo.call().await?;
    }
    let before = rss_kib()?;
    for _ in 0..200_000 {
        echo.call().await?;
    }
    let growth = rss_kib()?.saturating_sub(before);
    Ok(Measured { ours: growth as f64, baseline: None, note: None })
}

/// Measures system calls per call, as the difference between two runs that differ only in the number of calls.
pub async fn syscalls(bench: &Bench) -> Result<Measured> {
    let (few, many) = (1_000, bench.pick(21_000, 101_000));
    let extra = many - few;
    let (few, many) = (traced_syscalls(few)?, traced_syscalls(many)?);
    let made = many.saturating_sub(few);
    let note = format!("{made} system calls in {extra} calls, the ticker's own (100 a second) included");
    Ok(Measured { ours: made as f64 / extra as f64, baseline: None, note: Some(note) })
}

/// Returns the number of system calls of a run of this program with this many warm calls.
fn traced_syscalls(calls: u64) -> Result<u64> {
    let summary = tempfile::NamedTempFile::new()?;
    let traced = Command::new("strace")
        .args(["-f", "-c", "-o"])
        .arg(summary.path())
        .arg(std::env::current_exe()?)
        .args(["calls", "--count", &calls.to_string()])
        .stdin(Stdio::null())
        .status();
    let status = traced.map_err(|error| NotMeasured(format!("`strace` cannot be started: {error}")))?;
    ensure!(status.success(), NotMeasured(format!("`strace` ended with {status}")));
    let text = std::fs::read_to_string(summary.path())?;
    Ok(total_calls(&text).context("`strace` printed no total")?)
}

/// Returns the fourth column of the line that ends with `total`.
fn total_calls(summary: &str) -> Option<u64> {
    let total = summary.lines().rfind(|line| line.ends_with(" total"))?;
    total.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_a_summary_is_read() {
        let summary = "% time     seconds  usecs/call     calls    errors syscall\n\
                       ------ ----------- ----------- --------- --------- ----------------\n\
                       99.00    0.003000          10       300           futex\n\
                       ------ ----------- ----------- --------- --------- ----------------\n\
                       100.00    0.003030           9       307         2 total\n";
        assert_eq!(total_calls(summary), Some(307));
        assert_eq!(total_calls("no summary"), None);
    }
}

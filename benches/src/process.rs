//! Resource counters of this process.

use anyhow::{Context, Result};
use rustix::time::{ClockId, clock_gettime};
use std::fs;

/// Memory, threads and file descriptors of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessSize {
    pub rss_kib: u64,
    pub threads: u64,
    pub descriptors: usize,
}

impl ProcessSize {
    /// Reads the current values.
    pub fn now() -> Result<Self> {
        Ok(Self {
            rss_kib: rss_kib()?,
            threads: field("/proc/self/status", "Threads:")?,
            descriptors: fs::read_dir("/proc/self/fd")?.count(),
        })
    }
}

/// Returns the resident memory in KiB, counted page by page: the cheaper counters of the kernel lag behind.
pub fn rss_kib() -> Result<u64> {
    field("/proc/self/smaps_rollup", "Rss:")
}

/// Returns the minor page faults of this process so far, as `getrusage` reports them.
pub fn minor_faults() -> Result<u64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The second field is the program's name in parentheses and may contain any character.
    let after_name = stat.rsplit_once(") ").context("`/proc/self/stat` has no name")?.1;
    let faults = after_name.split_whitespace().nth(7).context("`/proc/self/stat` is too short")?;
    Ok(faults.parse()?)
}

/// Returns the CPU time of this process so far in microseconds, without that of its threads with these names.
pub fn cpu_micros_without(threads: &[&str]) -> Result<f64> {
    let all = clock_gettime(ClockId::ProcessCPUTime);
    let all = all.tv_sec as f64 * 1e6 + all.tv_nsec as f64 / 1e3;
    let mut without = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if threads.contains(&fs::read_to_string(task.join("comm"))?.trim_end()) {
            let stat = fs::read_to_string(task.join("schedstat"))?;
            let nanoseconds = stat.split_whitespace().next().context("`schedstat` is empty")?;
            without += nanoseconds.parse::<f64>()? / 1e3;
        }
    }
    Ok(all - without)
}

fn field(path: &str, name: &str) -> Result<u64> {
    let text = fs::read_to_string(path)?;
    let line = text.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .with_context(|| format!("`{path}` has no `{name}`"))?
        .parse()
        .with_context(|| format!("`{name}` in `{path}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_size_and_faults_when_it_touches_new_memory() {
        let size = ProcessSize::now().unwrap();
        assert!(size.rss_kib > 0 && size.threads > 0 && size.descriptors >= 3);
        let before = minor_faults().unwrap();
        let touched = std::hint::black_box(vec![1_u8; 64 << 20]);
        assert!(minor_faults().unwrap() > before);
        assert!(rss_kib().unwrap() > size.rss_kib);
        drop(touched);
    }

    #[test]
    fn a_thread_of_another_name_counts() {
        let spin = |name: &str| {
            let thread = std::thread::Builder::new().name(name.to_owned());
            let spin = || (0..20_000_000_u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
            thread.spawn(spin).unwrap().join().unwrap();
        };
        let before = cpu_micros_without(&["left-out"]).unwrap();
        spin("counted");
        assert!(cpu_micros_without(&["left-out"]).unwrap() > before);
    }
}

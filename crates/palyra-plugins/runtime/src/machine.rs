//! The memory available to this process, as the operating system reports it.

/// Memory assumed if the system reports none.
const UNKNOWN: u64 = 1 << 30;

/// Returns the memory of the machine, or the limit of the control group if that is smaller.
pub(crate) fn memory_bytes() -> u64 {
    let read = |path| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| total_memory(&text)).unwrap_or(UNKNOWN);
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    group.map_or(machine, |group: u64| group.min(machine))
}

/// Returns `MemTotal` of `/proc/meminfo`, in bytes.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_memory_is_read_in_bytes() {
        assert_eq!(total_memory("MemTotal:       24656896 kB\nMemFree: 1 kB\n"), Some(24_656_896 << 10));
        for bad in ["", "MemTotal: kB", "MemTotal: 1 MB", "MemTotal: 18446744073709551615 kB"] {
            assert_eq!(total_memory(bad), None, "{bad}");
        }
    }

    #[test]
    fn memory_of_this_machine_is_known() {
        assert!(memory_bytes() >= 64 << 20);
    }
}

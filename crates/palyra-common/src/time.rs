//! The wall clock, limited to the years that calendar libraries can represent.
//!
//! `jiff::Timestamp::now` panics if the clock of the machine is outside of the years -9999 to 9999. Every component
//! reads the time here instead, where such a clock reads as the nearest end of the range.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The latest time that is reported, in milliseconds of Unix time: the end of the year 9998.
///
/// The year after it remains for durations that are added to the current time.
pub const MAX_UNIX_MS: u64 = 253_370_764_799_999;

/// Returns the current time, never before 1970 and never after [`MAX_UNIX_MS`].
pub fn system_time() -> SystemTime {
    within_range(SystemTime::now())
}

/// Returns [`system_time`] in milliseconds of Unix time.
pub fn unix_time_ms() -> u64 {
    let since = system_time().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(MAX_UNIX_MS)
}

/// Returns whether the clock of this machine is outside of the range, so that [`system_time`] is constant.
pub fn is_out_of_range() -> bool {
    let now = SystemTime::now();
    within_range(now) != now
}

fn within_range(time: SystemTime) -> SystemTime {
    let last = UNIX_EPOCH.checked_add(Duration::from_millis(MAX_UNIX_MS)).unwrap_or(UNIX_EPOCH);
    time.clamp(UNIX_EPOCH, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_outside_the_range_reads_as_its_nearest_end() {
        let last = UNIX_EPOCH + Duration::from_millis(MAX_UNIX_MS);
        // 9999, 10000, and as late as a 64-bit second counter reaches on this platform.
        for seconds in [253_370_764_800, 253_402_300_800, 1 << 62] {
            assert_eq!(within_range(UNIX_EPOCH + Duration::from_secs(seconds)), last);
        }
        assert_eq!(within_range(UNIX_EPOCH - Duration::from_secs(1)), UNIX_EPOCH);
        assert_eq!(within_range(UNIX_EPOCH + Duration::from_secs(7)), UNIX_EPOCH + Duration::from_secs(7));
    }

    #[test]
    fn present_time_is_in_range() {
        assert!(!is_out_of_range());
        assert!(unix_time_ms() < MAX_UNIX_MS);
    }
}

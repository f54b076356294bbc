//! Reading the time and waiting for a time.

use async_trait::async_trait;
use jiff::Timestamp;

/// A clock; tests replace it.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Waits until that time, or shorter if the clock was set; the caller checks [`Clock::now`] again.
    async fn until(&self, at: Timestamp);
}

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::try_from(palyra_common::time::system_time()).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    async fn until(&self, at: Timestamp) {
        // A timer for a time outside the range of the clock fires at once while `now` does not advance, which would
        // busy-loop.
        #[cfg(target_os = "linux")]
        if !palyra_common::time::is_out_of_range()
            && let Ok(timer) = alarm(at)
        {
            // Readable at the time, and as soon as the clock is set.
            let _ = timer.readable().await;
            return;
        }
        tokio::time::sleep(bounded(at)).await;
    }
}

/// Creates a timer of the wall clock, which also accounts for time the machine was suspended.
#[cfg(target_os = "linux")]
#[allow(
    deprecated,
    reason = "its successor is unsafe, for types whose descriptor may change; an `OwnedFd` never does"
)]
fn alarm(at: Timestamp) -> std::io::Result<tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>> {
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    let timer = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
    let once = Timespec { tv_sec: 0, tv_nsec: 0 };
    // A time of zero would disarm the timer.
    let value = match (at.as_second(), at.subsec_nanosecond()) {
        (second, nanosecond) if second > 0 => Timespec { tv_sec: second, tv_nsec: nanosecond.max(0).into() },
        _ => Timespec { tv_sec: 0, tv_nsec: 1 },
    };
    let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
    timerfd_settime(&timer, flags, &Itimerspec { it_interval: once, it_value: value })?;
    tokio::io::unix::AsyncFd::new(timer)
}

/// Limits a sleep, so that a change of the clock is noticed on systems without such a timer.
fn bounded(at: Timestamp) -> std::time::Duration {
    const LONGEST: std::time::Duration = std::time::Duration::from_secs(30);
    let left = SystemClock.now().duration_until(at);
    std::time::Duration::try_from(left).unwrap_or_default().min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_timer_ends_at_the_time_and_not_before() {
        let at = Timestamp::from_millisecond(SystemClock.now().as_millisecond() + 30).unwrap_or_default();
        SystemClock.until(at).await;
        assert!(SystemClock.now() >= at);
        SystemClock.until(Timestamp::UNIX_EPOCH).await;
    }
}

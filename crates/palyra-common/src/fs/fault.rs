//! The seam where tests stop the world.
//!
//! [`point`] stands before every operation that changes something outside the process. In an ordinary
//! build it is nothing. With the feature `fault-injection` it ends the process before the Nth point
//! ([`PALYRA_FAULT_AT`]), as `kill -9` would, or, under [`stop_at`], lets that operation and every later
//! one of the thread fail, which leaves the same files behind and is a thousand times faster.

use std::io;

/// Passes a point; in an ordinary build this does nothing and cannot fail.
#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub fn point(_name: &'static str) -> io::Result<()> {
    Ok(())
}

/// Passes a point: counts it, and stops here if a test asked for that.
#[cfg(feature = "fault-injection")]
pub fn point(name: &'static str) -> io::Result<()> {
    injection::in_process(name);
    injection::in_thread(name)
}

#[cfg(feature = "fault-injection")]
pub use injection::{PALYRA_FAULT_AT, Stopped, stop_at};

#[cfg(feature = "fault-injection")]
mod injection {
    use std::cell::Cell;
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The process ends before its Nth point (from 1); set by tests on a child process.
    pub const PALYRA_FAULT_AT: &str = "PALYRA_FAULT_AT";

    static PASSED: AtomicU64 = AtomicU64::new(0);

    thread_local! {
        /// Points left before the thread stops; `None` if not set.
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        static STOPPED_AT: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    /// How a closure under [`stop_at`] ended.
    #[derive(Debug)]
    pub struct Stopped<T> {
        /// What it returned.
        pub result: T,
        /// The point where it was stopped; `None` if it has fewer points.
        pub at: Option<&'static str>,
    }

    /// Runs `work`; its Nth point (from 1) and every later one of this thread fail.
    pub fn stop_at<T>(n: u64, work: impl FnOnce() -> T) -> Stopped<T> {
        LEFT.set(Some(n.saturating_sub(1)));
        STOPPED_AT.set(None);
        let result = work();
        LEFT.set(None);
        Stopped { result, at: STOPPED_AT.take() }
    }

    pub(super) fn in_thread(name: &'static str) -> io::Result<()> {
        match LEFT.get() {
            None => Ok(()),
            Some(0) => {
                STOPPED_AT.set(STOPPED_AT.get().or(Some(name)));
                Err(io::Error::other(format!("stopped by a test before `{name}`")))
            }
            Some(left) => {
                LEFT.set(Some(left - 1));
                Ok(())
            }
        }
    }

    #[allow(clippy::print_stderr, reason = "the last output of a process that a test ends")]
    pub(super) fn in_process(name: &'static str) {
        static AT: OnceLock<Option<u64>> = OnceLock::new();
        let Some(at) = *AT.get_or_init(|| std::env::var(PALYRA_FAULT_AT).ok()?.parse().ok()) else {
            return;
        };
        let passed = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
        if passed == at {
            eprintln!("ended by a test at point {passed} before `{name}`");
            std::process::abort();
        }
    }
}

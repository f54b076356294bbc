//! Fault injection for crash tests.
//!
//! [`point`] is called before every operation that has an effect outside of the process. In an ordinary build it does
//! nothing. With the feature `fault-injection` it aborts the process before the Nth point ([`PALYRA_FAULT_AT`]), like
//! `kill -9`. Under [`stop_at`], that operation and every later one of the thread fail instead, which leaves the same
//! files behind and is a thousand times faster.

use std::io;

/// Does nothing in an ordinary build, and cannot fail.
#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub fn point(_name: &'static str) -> io::Result<()> {
    Ok(())
}

/// Counts a point, and stops here if a test requested it.
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

    /// The number of the point, from 1, before which the process aborts. Set by tests on a child process.
    pub const PALYRA_FAULT_AT: &str = "PALYRA_FAULT_AT";

    static PASSED: AtomicU64 = AtomicU64::new(0);

    thread_local! {
        /// Number of points until the thread stops; `None` if not set.
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        static STOPPED_AT: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    /// The result of a closure under [`stop_at`].
    #[derive(Debug)]
    pub struct Stopped<T> {
        /// The return value of the closure.
        pub result: T,
        /// The point at which it was stopped; `None` if it has fewer points.
        pub at: Option<&'static str>,
    }

    /// Runs `work`. Its Nth point, from 1, and every later one of this thread fail.
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

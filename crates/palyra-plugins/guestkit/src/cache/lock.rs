//! Advisory locks: two processes never install the same tool or build the same guest at the same time.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use super::Cache;
use crate::error::GuestkitError;

/// Maximum time to wait, longer than the slowest step under a lock.
const LONGEST_WAIT: Duration = Duration::from_secs(1800);

/// A held lock. The kernel releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Cache {
    /// Acquires the lock `name`. Reports once if another process holds it.
    pub(crate) fn lock(&self, name: &str, say: &dyn Fn(&str)) -> Result<Lock, GuestkitError> {
        self.lock_within(name, LONGEST_WAIT, say)
    }

    fn lock_within(&self, name: &str, limit: Duration, say: &dyn Fn(&str)) -> Result<Lock, GuestkitError> {
        let path = self.directory("locks")?.join(name);
        let file = File::create(&path).map_err(GuestkitError::file("create", &path))?;
        let start = Instant::now();
        let mut reported = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(GuestkitError::file("lock", &path)(source)),
            }
            if start.elapsed() >= limit {
                return Err(GuestkitError::LockTimeout { path, seconds: limit.as_secs() });
            }
            if !reported {
                say(&format!("waiting for another run that holds `{name}`"));
                reported = true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_waited_for_and_then_given_up() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path().to_path_buf());
        let held = cache.lock("tool", &|_| {}).unwrap();
        let reported = std::cell::Cell::new(0);
        let refused =
            cache.lock_within("tool", Duration::ZERO, &|_| reported.set(reported.get() + 1)).unwrap_err();
        assert!(matches!(refused, GuestkitError::LockTimeout { .. }), "{refused:?}");
        assert_eq!(reported.get(), 0);
        let refused =
            cache.lock_within("tool", Duration::from_millis(120), &|_| reported.set(reported.get() + 1));
        assert!(refused.is_err());
        assert_eq!(reported.get(), 1);
        drop(held);
        assert!(cache.lock("tool", &|_| {}).is_ok());
    }

    #[test]
    fn different_names_do_not_meet() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path().to_path_buf());
        let _one = cache.lock("one", &|_| {}).unwrap();
        assert!(cache.lock_within("two", Duration::ZERO, &|_| {}).is_ok());
    }
}

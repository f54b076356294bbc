//! One owner at a time, by a lock the system drops when its holder ends.

use super::{Directory, FsError, fault, strict};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::time::{Duration, Instant};

/// Longest description of a holder that is shown.
const MAX_HOLDER_BYTES: u64 = 256;
/// How often a waiter looks again.
const RETRY: Duration = Duration::from_millis(20);

/// A held lock; dropping it lets the next one in. Its file stays, unless the creation of a state root fails.
#[derive(Debug)]
pub struct OwnerLock {
    _file: File,
}

/// Whether the lock was taken.
#[derive(Debug)]
pub enum LockOutcome {
    /// It is ours.
    Acquired(OwnerLock),
    /// Somebody else has it.
    Held {
        /// How the holder described itself, escaped; empty while it is still writing that.
        holder: String,
    },
}

impl OwnerLock {
    /// Takes the lock on the file `name` of this directory if nobody has it, and says there who we are.
    pub fn try_acquire(directory: &Directory, name: &str, holder: &str) -> Result<LockOutcome, FsError> {
        let mut file = directory.open_lock_file(name)?;
        let path = directory.path().join(name);
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(LockOutcome::Held { holder: read_holder(&mut file) }),
            Err(TryLockError::Error(error)) => return Err(FsError::io("lock", &path, error)),
        }
        // A creation that failed takes its lock file along: whoever locked that file owns nothing.
        if !directory.is_entry(name, &file)? {
            return Ok(LockOutcome::Held { holder: String::new() });
        }
        let note = (|| {
            fault::point("write lock note")?;
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(holder.as_bytes())
        })();
        note.map_err(|error| FsError::io("write", &path, error))?;
        Ok(LockOutcome::Acquired(Self { _file: file }))
    }

    /// Like [`Self::try_acquire`], but waits this long for the holder to leave.
    pub fn acquire_within(
        directory: &Directory,
        name: &str,
        holder: &str,
        patience: Duration,
    ) -> Result<LockOutcome, FsError> {
        let start = Instant::now();
        loop {
            match Self::try_acquire(directory, name, holder)? {
                LockOutcome::Held { .. } if start.elapsed() < patience => std::thread::sleep(RETRY),
                outcome => return Ok(outcome),
            }
        }
    }
}

impl Directory {
    /// Whether `name` still is the file that was opened by it.
    fn is_entry(&self, name: &str, file: &File) -> Result<bool, FsError> {
        let path = self.entry(name)?;
        let opened = rustix::fs::fstat(file).map_err(|error| FsError::io("examine", &path, error))?;
        match rustix::fs::statat(self.handle(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok((found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(FsError::io("examine", &path, error)),
        }
    }

    fn open_lock_file(&self, name: &str) -> Result<File, FsError> {
        let path = self.entry(name)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let handle =
            rustix::fs::openat(self.handle(), name, flags, Mode::from_raw_mode(strict::FILE_MODE as _));
        let file = File::from(handle.map_err(|error| FsError::io("open", &path, error))?);
        strict::check_file(&file, &path)?;
        Ok(file)
    }
}

fn read_holder(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.rewind().and_then(|()| file.take(MAX_HOLDER_BYTES).read_to_end(&mut bytes));
    crate::redact::escape_untrusted(String::from_utf8_lossy(&bytes).trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn directory() -> (tempfile::TempDir, Directory) {
        let home = tempfile::tempdir().unwrap();
        let directory = Directory::create_private(&home.path().join("root")).unwrap();
        (home, directory)
    }

    #[test]
    fn the_second_is_told_who_is_first() {
        let (_home, directory) = directory();
        let lock = match OwnerLock::try_acquire(&directory, "lock", "pid 7 palyra run\u{202e}").unwrap() {
            LockOutcome::Acquired(lock) => lock,
            LockOutcome::Held { holder } => panic!("held by {holder}"),
        };
        match OwnerLock::try_acquire(&directory, "lock", "pid 8").unwrap() {
            LockOutcome::Held { holder } => assert_eq!(holder, r"pid 7 palyra run\u{202e}"),
            LockOutcome::Acquired(_) => panic!("two owners"),
        }
        drop(lock);
        let next = OwnerLock::acquire_within(&directory, "lock", "pid 8", Duration::ZERO).unwrap();
        assert!(matches!(next, LockOutcome::Acquired(_)));
        assert!(directory.contains("lock").unwrap());
    }

    #[test]
    fn a_waiter_gets_the_lock_when_the_holder_leaves() {
        let (_home, directory) = directory();
        let held = OwnerLock::try_acquire(&directory, "lock", "first").unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                OwnerLock::acquire_within(&directory, "lock", "second", Duration::from_secs(60)).unwrap()
            });
            drop(held);
            assert!(matches!(waiter.join().unwrap(), LockOutcome::Acquired(_)));
        });
    }

    #[test]
    fn a_lock_on_a_file_that_was_removed_is_not_acquired() {
        let (_home, directory) = directory();
        let file = directory.open_lock_file("lock").unwrap();
        assert!(directory.is_entry("lock", &file).unwrap());
        directory.remove("lock").unwrap();
        assert!(!directory.is_entry("lock", &file).unwrap());
        let other = directory.open_lock_file("lock").unwrap();
        assert!(!directory.is_entry("lock", &file).unwrap() && directory.is_entry("lock", &other).unwrap());
    }

    #[test]
    fn a_lock_file_open_to_others_is_refused() {
        let (_home, directory) = directory();
        drop(OwnerLock::try_acquire(&directory, "lock", "").unwrap());
        let path = directory.path().join("lock");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o660)).unwrap();
        assert!(matches!(
            OwnerLock::try_acquire(&directory, "lock", ""),
            Err(FsError::TooOpen { mode: 0o660, .. })
        ));
    }
}

//! An exclusive lock that the operating system releases when its process ends.

use super::{Directory, FsError, fault, strict};
use parking_lot::Mutex;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{File, Metadata, TryLockError, symlink_metadata};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Maximum length of a displayed holder, in bytes.
const MAX_HOLDER_BYTES: u64 = 256;
/// Interval at which a waiting process retries.
const RETRY: Duration = Duration::from_millis(20);

/// A held lock, released when dropped. Its file remains, unless the creation of a state root fails.
///
/// Two objects are locked: the directory, which cannot be replaced while it is open, and the file, which names the
/// holder. Deleting the file therefore does not let a second process acquire the lock.
#[derive(Debug)]
pub struct OwnerLock {
    /// A separate descriptor, because a lock belongs to the open file and the caller's handle may be shared.
    directory: Directory,
    name: String,
    holder: String,
    file: Mutex<LockFile>,
}

/// The locked file, with its device and inode.
#[derive(Debug)]
struct LockFile {
    _file: File,
    identity: (u64, u64),
}

/// The result of trying to acquire the lock.
#[derive(Debug)]
pub enum LockOutcome {
    /// This process holds the lock.
    Acquired(OwnerLock),
    /// Another process holds the lock.
    Held {
        /// The holder's description of itself, escaped; empty while it is being written.
        holder: String,
    },
}

impl OwnerLock {
    /// Locks the directory and its file `name` if they are free, and writes `holder` into the file.
    pub fn try_acquire(directory: &Directory, name: &str, holder: &str) -> Result<LockOutcome, FsError> {
        let directory = directory.reopen()?;
        // The directory is locked first, so that a process that fails does not leave a lock file behind.
        if !try_lock(directory.handle(), directory.path().to_owned())? {
            return Ok(LockOutcome::Held { holder: directory.read_holder(name) });
        }
        let mut file = directory.open_lock_file(name, OFlags::empty())?;
        // Earlier versions lock only the file.
        if !try_lock(&file, directory.path().join(name))? {
            return Ok(LockOutcome::Held { holder: read_holder(&mut file) });
        }
        // A failed creation of a state root removes its lock file; a lock on the removed file protects nothing.
        if !directory.is_entry(name, &file)? {
            return Ok(LockOutcome::Held { holder: String::new() });
        }
        let file = directory.sign(name, file, holder)?;
        let (name, holder) = (name.to_owned(), holder.to_owned());
        Ok(LockOutcome::Acquired(Self { directory, name, holder, file: Mutex::new(file) }))
    }

    /// Checks that the lock file is still the one that was locked. Creates it again if it was deleted.
    ///
    /// # Errors
    /// [`FsError::LockLost`] if another file or directory is in its place, because another process may then own the
    /// protected state.
    pub fn confirm(&self) -> Result<(), FsError> {
        let mut held = self.file.lock();
        let path = self.directory.path().join(&self.name);
        match symlink_metadata(&path) {
            Ok(found) if identity(&found) == held.identity => return Ok(()),
            Ok(_) => return Err(FsError::LockLost { path }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FsError::io("examine", &path, error)),
        }
        let (ours, there) = (self.directory.handle().metadata(), symlink_metadata(self.directory.path()));
        let same = ours.ok().zip(there.ok()).is_some_and(|(ours, there)| identity(&ours) == identity(&there));
        let lost = |_| FsError::LockLost { path: path.clone() };
        if !same {
            return Err(FsError::LockLost { path });
        }
        // The directory is locked, so no other process of this version can create the file at the same time.
        let file = self.directory.open_lock_file(&self.name, OFlags::EXCL).map_err(lost)?;
        if !try_lock(&file, path.clone())? {
            return Err(FsError::LockLost { path });
        }
        *held = self.directory.sign(&self.name, file, &self.holder)?;
        Ok(())
    }

    /// Like [`Self::try_acquire`], but waits up to `patience` for the holder to release the lock.
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
    /// Returns whether `name` still refers to the open file.
    fn is_entry(&self, name: &str, file: &File) -> Result<bool, FsError> {
        let path = self.entry(name)?;
        let opened = rustix::fs::fstat(file).map_err(|error| FsError::io("examine", &path, error))?;
        match rustix::fs::statat(self.handle(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok((found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(FsError::io("examine", &path, error)),
        }
    }

    /// Writes the description of the holder into the lock file.
    fn sign(&self, name: &str, mut file: File, holder: &str) -> Result<LockFile, FsError> {
        let path = self.path().join(name);
        let note = (|| {
            fault::point("write lock note")?;
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(holder.as_bytes())
        })();
        note.map_err(|error| FsError::io("write", &path, error))?;
        let found = file.metadata().map_err(|error| FsError::io("examine", &path, error))?;
        Ok(LockFile { identity: identity(&found), _file: file })
    }

    /// Returns the holder's description of itself; empty if its file was deleted.
    fn read_holder(&self, name: &str) -> String {
        self.open_file(name).ok().flatten().map(|mut file| read_holder(&mut file)).unwrap_or_default()
    }

    fn open_lock_file(&self, name: &str, more: OFlags) -> Result<File, FsError> {
        let path = self.entry(name)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let flags = flags | more;
        let handle =
            rustix::fs::openat(self.handle(), name, flags, Mode::from_raw_mode(strict::FILE_MODE as _));
        let file = File::from(handle.map_err(|error| FsError::io("open", &path, error))?);
        strict::check_file(&file, &path)?;
        Ok(file)
    }
}

/// Tries to lock an open file. Returns `false` if another open file holds the lock.
fn try_lock(file: &File, path: PathBuf) -> Result<bool, FsError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(FsError::io("lock", &path, error)),
    }
}

fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
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
    fn lock_error_names_the_holder() {
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
        let file = directory.open_lock_file("lock", OFlags::empty()).unwrap();
        assert!(directory.is_entry("lock", &file).unwrap());
        directory.remove("lock").unwrap();
        assert!(!directory.is_entry("lock", &file).unwrap());
        let other = directory.open_lock_file("lock", OFlags::empty()).unwrap();
        assert!(!directory.is_entry("lock", &file).unwrap() && directory.is_entry("lock", &other).unwrap());
    }

    fn acquired(directory: &Directory) -> OwnerLock {
        match OwnerLock::try_acquire(directory, "lock", "first").unwrap() {
            LockOutcome::Acquired(lock) => lock,
            LockOutcome::Held { holder } => panic!("held by {holder}"),
        }
    }

    fn is_held(directory: &Directory) -> bool {
        matches!(OwnerLock::try_acquire(directory, "lock", "second").unwrap(), LockOutcome::Held { .. })
    }

    #[test]
    fn lock_survives_deletion_of_its_file() {
        let (_home, directory) = directory();
        let lock = acquired(&directory);
        directory.remove("lock").unwrap();
        assert!(is_held(&directory));
        assert!(!directory.contains("lock").unwrap(), "the refused process left a lock file behind");
        lock.confirm().unwrap();
        match OwnerLock::try_acquire(&directory, "lock", "second").unwrap() {
            LockOutcome::Held { holder } => assert_eq!(holder, "first"),
            LockOutcome::Acquired(_) => panic!("two owners"),
        }
        lock.confirm().unwrap();
        drop(lock);
        assert!(!is_held(&directory));
    }

    #[test]
    fn lock_is_lost_when_another_file_takes_its_place() {
        let (_home, directory) = directory();
        let lock = acquired(&directory);
        directory.remove("lock").unwrap();
        directory.write("lock", b"other").unwrap();
        assert!(matches!(lock.confirm(), Err(FsError::LockLost { .. })));
        assert!(is_held(&directory));
    }

    #[test]
    fn lock_is_lost_when_another_directory_takes_its_place() {
        let (home, directory) = directory();
        let lock = acquired(&directory);
        std::fs::rename(directory.path(), home.path().join("aside")).unwrap();
        assert!(matches!(lock.confirm(), Err(FsError::LockLost { .. })));
        Directory::create_private(directory.path()).unwrap();
        assert!(matches!(lock.confirm(), Err(FsError::LockLost { .. })));
    }

    #[test]
    fn lock_of_an_earlier_version_is_respected() {
        let (_home, directory) = directory();
        let file = directory.open_lock_file("lock", OFlags::empty()).unwrap();
        file.try_lock().unwrap();
        assert!(is_held(&directory));
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

//! The key of one-shot runs: it authenticates cached code, and makes digests of secrets on tapes comparable.

use rustix::fs::{Mode, OFlags};
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

const FILE_NAME: &str = "one-shot.key";
const KEY_BYTES: usize = 32;

/// 32 random bytes that never leave this machine.
pub(super) struct OneShotKey([u8; KEY_BYTES]);

/// Reason why the key file is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyFileError {
    #[error("`{}` is not a regular file that you own", .0.display())]
    NotPlain(PathBuf),
    #[error("`{}` is accessible to other users (mode {mode:04o}); run `chmod 600` on it", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("`{}` does not have {KEY_BYTES} bytes", .0.display())]
    WrongLength(PathBuf),
    #[error("cannot use `{}`: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
}

impl OneShotKey {
    /// Returns the key in this directory, creating it on first use.
    pub(super) fn load_or_create(directory: &Path) -> Result<Self, KeyFileError> {
        let path = directory.join(FILE_NAME);
        let unusable = |source: io::Error| KeyFileError::Unusable { path: path.clone(), source };
        match read(&path) {
            Err(KeyFileError::Unusable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                create(directory, &path).map_err(unusable)?;
                // Another process created it first; both use its key.
                read(&path)
            }
            other => other,
        }
    }

    /// Derives the key that authenticates compiled code.
    pub(super) fn for_code(&self) -> [u8; KEY_BYTES] {
        blake3::derive_key("palyra one-shot 2026-01 compiled code", &self.0)
    }

    /// Derives the key of the digests that replace secrets on a tape.
    pub(super) fn for_tapes(&self) -> [u8; KEY_BYTES] {
        blake3::derive_key("palyra one-shot 2026-01 secrets on tapes", &self.0)
    }
}

/// Opens the file without following links, then checks the opened file.
fn read(path: &Path) -> Result<OneShotKey, KeyFileError> {
    let unusable = |source| KeyFileError::Unusable { path: path.to_owned(), source };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NXIO) => {
            return Err(KeyFileError::NotPlain(path.to_owned()));
        }
        Err(error) => return Err(unusable(error.into())),
    };
    let metadata = file.metadata().map_err(unusable)?;
    if !metadata.is_file() || metadata.nlink() != 1 || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(KeyFileError::NotPlain(path.to_owned()));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(KeyFileError::Open { path: path.to_owned(), mode: metadata.mode() & 0o7777 });
    }
    if metadata.len() != KEY_BYTES as u64 {
        return Err(KeyFileError::WrongLength(path.to_owned()));
    }
    let mut key = [0; KEY_BYTES];
    file.read_exact(&mut key).map_err(unusable)?;
    Ok(OneShotKey(key))
}

/// Creates the key atomically; an existing key is kept.
fn create(directory: &Path, path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn load(directory: &Path) -> Result<[u8; 32], String> {
        let shorter =
            |error: KeyFileError| error.to_string().replace(&directory.display().to_string(), "DIR");
        OneShotKey::load_or_create(directory).map(|key| key.0).map_err(shorter)
    }

    #[test]
    fn a_key_is_made_once_and_for_its_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("config/palyra");
        let key = load(&directory).unwrap();
        assert_eq!(load(&directory).unwrap(), key);
        assert_ne!(key, [0; 32]);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&directory.join(FILE_NAME))), (0o700, 0o600));
        let key = OneShotKey(key);
        assert_ne!(key.for_code(), key.for_tapes());
    }

    #[test]
    fn a_file_that_is_not_ours_alone_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE_NAME);
        load(home.path()).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let open = "`DIR/one-shot.key` is accessible to other users (mode 0640); run `chmod 600` on it";
        assert_eq!(load(home.path()), Err(open.into()));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        std::fs::hard_link(&path, home.path().join("second")).unwrap();
        assert_eq!(load(home.path()), Err("`DIR/one-shot.key` is not a regular file that you own".into()));
        std::fs::remove_file(&path).unwrap();
        symlink(home.path().join("second"), &path).unwrap();
        assert_eq!(load(home.path()), Err("`DIR/one-shot.key` is not a regular file that you own".into()));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "short").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        assert_eq!(load(home.path()), Err("`DIR/one-shot.key` does not have 32 bytes".into()));
    }
}

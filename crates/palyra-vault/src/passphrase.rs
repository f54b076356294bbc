//! Passphrases and their sources: never an argument, never an environment variable.

use palyra_common::SecretValue;
use palyra_common::fs::{Directory, FsError};
use rustix::fs::OFlags;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const MAX_BYTES: usize = 1024;
/// The environment variable in which systemd passes the directory of a service's credentials.
pub const CREDENTIALS_DIRECTORY: &str = "CREDENTIALS_DIRECTORY";
/// The name of the credential with the passphrase of the device key.
const CREDENTIAL: &str = "palyra.passphrase";

/// A passphrase of 1 to 1024 bytes. `Debug` prints `****`.
#[derive(Debug, Clone)]
pub struct Passphrase(SecretValue);

/// The reason why a passphrase was rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum PassphraseError {
    /// The passphrase is empty.
    #[error("the passphrase is empty")]
    Empty,
    /// The passphrase has more than 1024 bytes.
    #[error("the passphrase is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The file is not private to this user.
    #[error(transparent)]
    Files(#[from] FsError),
    /// The credential is readable by other users, or belongs to another user than root and this one.
    #[error("the credential `{}` must be a regular file of root or this user that other users cannot read \
        (mode {mode:04o}, user {owner})", path.display())]
    NotACredential { path: PathBuf, mode: u32, owner: u32 },
    /// The source could not be read.
    #[error("cannot read the passphrase from {place}")]
    Unreadable {
        /// The source, as text.
        place: String,
        #[source]
        source: io::Error,
    },
}

impl Passphrase {
    /// Wraps the bytes of a passphrase.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, PassphraseError> {
        let value = SecretValue::new(bytes);
        match value.expose().len() {
            0 => Err(PassphraseError::Empty),
            1..=MAX_BYTES => Ok(Self(value)),
            _ => Err(PassphraseError::TooLong),
        }
    }

    /// Reads a private file: mode 0600, owned by this user, one hard link. One final line ending is removed.
    pub fn from_file(path: &Path) -> Result<Self, PassphraseError> {
        let (directory, name) = Directory::of_file(path)?;
        let bytes = directory.read(&name, MAX_BYTES as u64 + 2)?.map(Zeroizing::new);
        let missing = || FsError::io("open", path, io::Error::from(io::ErrorKind::NotFound));
        Self::from_line(bytes.ok_or_else(missing)?)
    }

    /// Returns the passphrase that needs no prompt: from the given file, otherwise from a systemd credential.
    pub fn given(
        file: Option<&Path>,
        credentials_directory: Option<&Path>,
    ) -> Result<Option<Self>, PassphraseError> {
        match (file, credentials_directory) {
            (Some(path), _) => Self::from_file(path).map(Some),
            (None, Some(directory)) if directory.join(CREDENTIAL).exists() => {
                Self::from_credential(directory, CREDENTIAL).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Reads a credential from a service's credentials directory.
    pub fn from_credential(directory: &Path, name: &str) -> Result<Self, PassphraseError> {
        let path = directory.join(name);
        let unreadable =
            |source| PassphraseError::Unreadable { place: format!("credential `{name}`"), source };
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let (mode, owner) = (metadata.mode() & 0o7777, metadata.uid());
        // systemd uses the group bits for an access list of the service's user, so they may be set.
        let ours = owner == 0 || owner == rustix::process::geteuid().as_raw();
        if !metadata.is_file() || mode & 0o007 != 0 || !ours {
            return Err(PassphraseError::NotACredential { path, mode, owner });
        }
        Self::from_reader(file).map_err(unreadable)?
    }

    /// Returns the bytes in plain text. Reviews must check every caller.
    pub fn expose(&self) -> &[u8] {
        self.0.expose()
    }

    /// Reads into a buffer that is never reallocated, so that it can be wiped.
    fn from_reader(mut reader: impl Read) -> io::Result<Result<Self, PassphraseError>> {
        // Room for a line end and one byte more: input that was cut off is too long, not a shorter passphrase.
        let mut bytes = Zeroizing::new(vec![0; MAX_BYTES + 3]);
        let mut used = 0;
        while let Some(rest) = bytes.get_mut(used..).filter(|rest| !rest.is_empty()) {
            match reader.read(rest) {
                Ok(0) => break,
                Ok(count) => used += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(used);
        Ok(Self::from_line(bytes))
    }

    fn from_line(mut bytes: Zeroizing<Vec<u8>>) -> Result<Self, PassphraseError> {
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        Self::new(std::mem::take(&mut *bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn written(directory: &Path, text: &str, mode: u32) -> PathBuf {
        let path = directory.join("passphrase");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_last_line_end_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        for (text, expected) in
            [("open", "open"), ("open\n", "open"), ("open\r\n", "open"), (" o\n\n", " o\n")]
        {
            let path = written(home.path(), text, 0o600);
            assert_eq!(Passphrase::from_file(&path).unwrap().expose(), expected.as_bytes(), "{text:?}");
            let credential = Passphrase::from_credential(home.path(), "passphrase").unwrap();
            assert_eq!(credential.expose(), expected.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn input_that_continues_after_a_line_end_at_the_limit_is_too_long() {
        let line = "x".repeat(MAX_BYTES);
        let read = |text: String| Passphrase::from_reader(text.as_bytes()).unwrap();
        assert_eq!(read(format!("{line}\r\n")).unwrap().expose(), line.as_bytes());
        assert!(matches!(read(format!("{line}\r\nmore")), Err(PassphraseError::TooLong)));
    }

    #[test]
    fn a_named_file_comes_before_the_credential_of_a_service() {
        let (home, service) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = written(home.path(), "named", 0o600);
        assert!(Passphrase::given(None, None).unwrap().is_none());
        assert!(Passphrase::given(None, Some(service.path())).unwrap().is_none());
        std::fs::rename(written(service.path(), "of the service", 0o600), service.path().join(CREDENTIAL))
            .unwrap();
        let given = |file, service| Passphrase::given(file, service).unwrap().unwrap().expose().to_vec();
        assert_eq!(given(None, Some(service.path())), b"of the service");
        assert_eq!(given(Some(file.as_path()), Some(service.path())), b"named");
    }

    #[test]
    fn sizes_are_bounded() {
        let home = tempfile::tempdir().unwrap();
        let read = |text: &str| Passphrase::from_file(&written(home.path(), text, 0o600));
        assert!(matches!(read("\n"), Err(PassphraseError::Empty)));
        assert!(read(&"x".repeat(1024)).is_ok());
        assert!(matches!(read(&"x".repeat(1025)), Err(PassphraseError::TooLong)));
        assert!(matches!(read(&"x".repeat(4096)), Err(PassphraseError::Files(FsError::TooLarge { .. }))));
    }

    #[test]
    fn files_open_to_others_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = written(home.path(), "open", 0o640);
        assert!(matches!(
            Passphrase::from_file(&path),
            Err(PassphraseError::Files(FsError::TooOpen { mode: 0o640, .. }))
        ));
        assert!(Passphrase::from_credential(home.path(), "passphrase").is_ok());
        written(home.path(), "open", 0o644);
        assert!(matches!(
            Passphrase::from_credential(home.path(), "passphrase"),
            Err(PassphraseError::NotACredential { mode: 0o644, .. })
        ));
        assert!(Passphrase::from_credential(home.path(), "none").is_err());
    }
}

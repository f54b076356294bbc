//! The owner's token: a private file in the state root, created when the first daemon starts.

use palyra_common::fs::{Directory, FsError};
use palyra_state::StateRoot;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Name of the file in the state root.
const FILE: &str = "owner.token";
/// Prefix of every owner token.
const PREFIX: &str = "palyra_owner_";
/// Maximum size of the token file in bytes.
const MAX_BYTES: u64 = 512;

/// The owner's token; it is never shown.
#[derive(Clone)]
pub struct OwnerToken(Zeroizing<String>);

/// Error of reading or creating the owner's token.
#[derive(Debug, thiserror::Error)]
pub enum OwnerTokenError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FsError),
    /// The file does not contain a token.
    #[error("`{FILE}` in the state root does not contain an owner token")]
    NotAToken,
    /// The system random source failed.
    #[error("cannot read the system random source: {0}")]
    Random(getrandom::Error),
}

impl OwnerToken {
    /// Returns the path of the token file.
    pub fn path(root: &StateRoot) -> std::path::PathBuf {
        root.path().join(FILE)
    }

    /// Reads the token; returns `None` if no daemon has created one yet.
    pub fn read(root: &StateRoot) -> Result<Option<Self>, OwnerTokenError> {
        let Some(bytes) = Directory::open_private(root.path())?.read(FILE, MAX_BYTES)? else {
            return Ok(None);
        };
        let bytes = Zeroizing::new(bytes);
        let text = std::str::from_utf8(&bytes).map_err(|_| OwnerTokenError::NotAToken)?.trim();
        if text.strip_prefix(PREFIX).is_some_and(|rest| rest.len() == 64) {
            Ok(Some(Self(Zeroizing::new(text.to_owned()))))
        } else {
            Err(OwnerTokenError::NotAToken)
        }
    }

    /// Reads the token, or creates one if there is none.
    pub fn read_or_make(root: &StateRoot) -> Result<Self, OwnerTokenError> {
        if let Some(token) = Self::read(root)? {
            return Ok(token);
        }
        let mut random = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *random).map_err(OwnerTokenError::Random)?;
        let text = Zeroizing::new(format!("{PREFIX}{}", hex::encode(*random)));
        Directory::open_private(root.path())?.write(FILE, format!("{}\n", text.as_str()).as_bytes())?;
        Ok(Self(text))
    }

    /// Returns the token, which must only be sent to the daemon.
    pub fn expose(&self) -> &Zeroizing<String> {
        &self.0
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl std::fmt::Debug for OwnerToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OwnerToken(****)")
    }
}

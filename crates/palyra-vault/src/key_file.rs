//! Typed, encrypted key files: a key as text that states its type and is opened with a passphrase.
//!
//! [`write`] and [`read`] are a round trip, as are [`encode`] and [`decode`]; text has exactly one form, so
//! accepted text encodes to the same bytes. The type, the cost and the salt are bound to the key.

mod cost;
mod text;

pub use cost::KdfCost;

use crate::cipher::{self, Key};
use crate::{Passphrase, VaultError};
use palyra_common::fs::{Directory, FsError};
use std::path::Path;
use text::Fields;
use zeroize::Zeroizing;

/// Largest file that is read; a real one has about 400 bytes.
const MAX_FILE_BYTES: u64 = 4096;

/// Type of a key file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFileType {
    /// The seed of an Ed25519 key that signs skills.
    SigningKey,
    /// The device key of a vault.
    DeviceKey,
}

/// The reason why a key file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum KeyFileError {
    /// The file is not private to this user, or cannot be read.
    #[error(transparent)]
    Files(#[from] FsError),
    /// The file contains only key bytes, without a header.
    #[error("not a key file: {bytes} bytes without a header")]
    RawKey { bytes: usize },
    /// The file has another format.
    #[error("not a key file: line {line}: {problem}")]
    NotAKeyFile { line: usize, problem: &'static str },
    /// The file contains a key for another purpose.
    #[error("it contains a `{found}`, expected a `{expected}`")]
    WrongType { found: &'static str, expected: &'static str },
    /// The cost of the key derivation is outside of the permitted range.
    #[error("its `{field}` is {found}, expected {low} to {high}")]
    UnacceptableCost {
        field: &'static str,
        found: u32,
        /// The minimum value.
        low: u32,
        /// The maximum value.
        high: u32,
    },
    /// The passphrase is wrong, or the file was changed.
    #[error("wrong passphrase, or the file was changed")]
    WrongPassphrase,
    /// The key derivation failed.
    #[error("cannot derive a key from the passphrase: {reason}")]
    Derivation { reason: String },
    /// Random bytes or the cipher failed.
    #[error(transparent)]
    Sealing(Box<VaultError>),
}

impl KeyFileError {
    /// Returns advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Files(error) => error.hint(),
            Self::RawKey { .. } => Some(
                "use a key of the vault or a key file; create one with `palyra keys new NAME`".to_owned(),
            ),
            Self::WrongPassphrase => Some(
                "try again; if the passphrase is right, restore the file from a \
                backup"
                    .to_owned(),
            ),
            Self::UnacceptableCost { .. } => Some("check the origin of the file".to_owned()),
            Self::NotAKeyFile { .. } | Self::WrongType { .. } => Some(
                "check that this is the right \
                file"
                    .to_owned(),
            ),
            Self::Derivation { .. } | Self::Sealing(_) => None,
        }
    }
}

impl KeyFileType {
    const ALL: [Self; 2] = [Self::SigningKey, Self::DeviceKey];

    /// Returns the name of the type in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::SigningKey => "ed25519-signing-key",
            Self::DeviceKey => "palyra-device-key",
        }
    }
}

/// Seals a key into a new private file; an existing one is never replaced.
pub fn write(
    path: &Path,
    kind: KeyFileType,
    key: &Zeroizing<[u8; 32]>,
    passphrase: &Passphrase,
    cost: KdfCost,
) -> Result<(), KeyFileError> {
    let text = encode(kind, key, passphrase, cost)?;
    let (directory, name) = Directory::of_file(path)?;
    Ok(directory.write_new(&name, text.as_bytes())?)
}

/// Opens the key in a private file.
pub fn read(
    path: &Path,
    kind: KeyFileType,
    passphrase: &Passphrase,
) -> Result<Zeroizing<[u8; 32]>, KeyFileError> {
    let (directory, name) = Directory::of_file(path)?;
    let not_found = || FsError::io("open", path, std::io::Error::from(std::io::ErrorKind::NotFound));
    let bytes = Zeroizing::new(directory.read(&name, MAX_FILE_BYTES)?.ok_or_else(not_found)?);
    decode(kind, &bytes, passphrase)
}

/// Seals a key into text.
pub fn encode(
    kind: KeyFileType,
    key: &Zeroizing<[u8; 32]>,
    passphrase: &Passphrase,
    cost: KdfCost,
) -> Result<String, KeyFileError> {
    let sealing = |error| KeyFileError::Sealing(Box::new(error));
    let salt = *cipher::random::<{ text::SALT_BYTES }>().map_err(sealing)?;
    let nonce = *cipher::random::<{ cipher::NONCE_BYTES }>().map_err(sealing)?;
    let mut fields = Fields { kind, cost, salt, nonce, sealed: [0; text::SEALED_BYTES] };
    let wrapping = wrapping_key(passphrase, &fields)?;
    let sealed =
        cipher::seal(&wrapping, &nonce, fields.head().as_bytes(), key.as_slice()).map_err(sealing)?;
    let bytes = sealed.len();
    fields.sealed = sealed.try_into().map_err(|_| sealing(VaultError::CannotSeal { bytes }))?;
    Ok(fields.to_text())
}

/// Decrypts a key from text made by [`encode`].
pub fn decode(
    kind: KeyFileType,
    text: &[u8],
    passphrase: &Passphrase,
) -> Result<Zeroizing<[u8; 32]>, KeyFileError> {
    let fields = Fields::parse(text)?;
    if fields.kind != kind {
        return Err(KeyFileError::WrongType { found: fields.kind.name(), expected: kind.name() });
    }
    let wrapping = wrapping_key(passphrase, &fields)?;
    let opened = cipher::open(&wrapping, &fields.nonce, fields.head().as_bytes(), &fields.sealed);
    let opened = opened.ok_or(KeyFileError::WrongPassphrase)?;
    let mut key = Zeroizing::new([0; 32]);
    if opened.len() != key.len() {
        return Err(KeyFileError::WrongPassphrase);
    }
    key.copy_from_slice(&opened);
    Ok(key)
}

fn wrapping_key(passphrase: &Passphrase, fields: &Fields) -> Result<Key, KeyFileError> {
    let derivation = |error: argon2::Error| KeyFileError::Derivation { reason: error.to_string() };
    let mut key = Zeroizing::new([0; 32]);
    fields
        .cost
        .argon2id()
        .and_then(|argon2| argon2.hash_password_into(passphrase.expose(), &fields.salt, key.as_mut_slice()))
        .map_err(derivation)?;
    Ok(key)
}

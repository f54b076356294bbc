//! XChaCha20-Poly1305 and the random source of the operating system.

use crate::VaultError;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

/// 32 secret bytes, wiped when dropped.
pub(crate) type Key = Zeroizing<[u8; 32]>;
/// A nonce, long enough to be random.
pub(crate) type Nonce = [u8; 24];

/// Number of bytes that sealing adds.
pub(crate) const TAG_BYTES: usize = 16;
pub(crate) const NONCE_BYTES: usize = 24;

/// Returns `N` random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, VaultError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice())
        .map_err(|error| VaultError::NoRandomness { reason: error.to_string() })?;
    Ok(bytes)
}

/// Encrypts `plain` and authenticates `context` with it.
pub(crate) fn seal(key: &Key, nonce: &Nonce, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, VaultError> {
    cipher(key)
        .encrypt(&XNonce::from(*nonce), Payload { msg: plain, aad: context })
        .map_err(|_| VaultError::CannotSeal { bytes: plain.len() })
}

/// Decrypts the output of [`seal`]. Returns `None` if key, nonce, context or ciphertext differ.
pub(crate) fn open(key: &Key, nonce: &Nonce, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    cipher(key).decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: context }).ok().map(Zeroizing::new)
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&**key).into())
}

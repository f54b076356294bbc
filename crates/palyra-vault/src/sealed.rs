//! One encrypted file: a wrapped data key, and a description and a value that are encrypted with it.
//!
//! ```text
//! magic 8 · kind 1 · nonce 24 · wrapped data key 48 · nonce 24 · length 4 · description · nonce 24 · value
//! ```
//!
//! Every part is bound to the vault, the kind and the file's name, which is a keyed hash of the entry's name. The
//! description is bound to all other bytes, so decrypting it checks the whole file while the value remains
//! encrypted.

use crate::cipher::{self, Key, NONCE_BYTES, Nonce, TAG_BYTES};
use crate::derived::{VaultKeys, mac};
use crate::device_key::VaultId;
use crate::{Damage, VaultError};
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"PLYRVSE1";
const WRAPPED_BYTES: usize = 32 + TAG_BYTES;

/// The kind of entry in an encrypted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Secret,
    SigningKey,
}

/// The position of an entry. Its file name is derived from the name of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    kind: Kind,
    id: [u8; 32],
}

/// A file whose bytes are all authenticated. The value is still encrypted.
pub(crate) struct Opened<'a> {
    pub(crate) description: Zeroizing<Vec<u8>>,
    data_key: Key,
    context: Vec<u8>,
    value_nonce: Nonce,
    value: &'a [u8],
}

impl Kind {
    fn byte(self) -> u8 {
        match self {
            Self::Secret => 1,
            Self::SigningKey => 2,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Secret => "name of a secret",
            Self::SigningKey => "name of a signing key",
        }
    }
}

impl Slot {
    pub(crate) fn of(keys: &VaultKeys, kind: Kind, name: &str) -> Self {
        Self { kind, id: *mac(&keys.names, kind.label(), &[name.as_bytes()]).as_bytes() }
    }

    pub(crate) fn file_name(&self) -> String {
        hex::encode(self.id)
    }

    pub(crate) fn from_file_name(kind: Kind, name: &str) -> Option<Self> {
        let mut id = [0; 32];
        hex::decode_to_slice(name, &mut id).ok()?;
        let slot = Self { kind, id };
        (slot.file_name() == name).then_some(slot)
    }

    fn context(&self, vault: &VaultId, part: &str) -> Vec<u8> {
        let mut context = b"palyra-vault v1 ".to_vec();
        context.extend_from_slice(part.as_bytes());
        context.push(0);
        context.extend_from_slice(vault.as_bytes());
        context.push(self.kind.byte());
        context.extend_from_slice(&self.id);
        context
    }
}

/// Encrypts an entry with a new data key.
pub(crate) fn seal(
    keys: &VaultKeys,
    vault: &VaultId,
    slot: &Slot,
    description: &[u8],
    value: &[u8],
) -> Result<Vec<u8>, VaultError> {
    let data_key = cipher::random()?;
    let [wrap_nonce, description_nonce, value_nonce] = [nonce()?, nonce()?, nonce()?];
    let wrapped = cipher::seal(&keys.wrap, &wrap_nonce, &slot.context(vault, "key"), data_key.as_slice())?;
    let value_sealed = cipher::seal(&data_key, &value_nonce, &slot.context(vault, "value"), value)?;
    let length = u32::try_from(description.len() + TAG_BYTES)
        .map_err(|_| VaultError::CannotSeal { bytes: description.len() })?;
    let mut head = MAGIC.to_vec();
    head.push(slot.kind.byte());
    head.extend_from_slice(&wrap_nonce);
    head.extend_from_slice(&wrapped);
    head.extend_from_slice(&description_nonce);
    head.extend_from_slice(&length.to_le_bytes());
    let tail = [value_nonce.as_slice(), &value_sealed].concat();
    let context = description_context(slot, vault, &head, &tail);
    let description_sealed = cipher::seal(&data_key, &description_nonce, &context, description)?;
    Ok([head, description_sealed, tail].concat())
}

/// Decrypts the description of an output of [`seal`] for the same vault and slot.
pub(crate) fn open<'a>(
    keys: &VaultKeys,
    vault: &VaultId,
    slot: &Slot,
    bytes: &'a [u8],
) -> Result<Opened<'a>, Damage> {
    let mut rest = bytes;
    if take::<8>(&mut rest)? != MAGIC || take::<1>(&mut rest)? != &[slot.kind.byte()] {
        return Err(Damage::NotSealed);
    }
    let wrap_nonce = take::<NONCE_BYTES>(&mut rest)?;
    let wrapped = take::<WRAPPED_BYTES>(&mut rest)?;
    let description_nonce = take::<NONCE_BYTES>(&mut rest)?;
    let length = usize::try_from(u32::from_le_bytes(*take(&mut rest)?)).map_err(|_| Damage::Truncated)?;
    let head = bytes.get(..bytes.len() - rest.len()).ok_or(Damage::Truncated)?;
    let (description, tail) = rest.split_at_checked(length).ok_or(Damage::Truncated)?;
    let mut value = tail;
    let value_nonce = *take::<NONCE_BYTES>(&mut value)?;

    let opened = cipher::open(&keys.wrap, wrap_nonce, &slot.context(vault, "key"), wrapped);
    let opened = opened.ok_or(Damage::Altered)?;
    let mut data_key = Zeroizing::new([0; 32]);
    if opened.len() != data_key.len() {
        return Err(Damage::Altered);
    }
    data_key.copy_from_slice(&opened);
    let context = description_context(slot, vault, head, tail);
    let description =
        cipher::open(&data_key, description_nonce, &context, description).ok_or(Damage::Altered)?;
    Ok(Opened { description, data_key, context: slot.context(vault, "value"), value_nonce, value })
}

impl Opened<'_> {
    /// Decrypts the value.
    ///
    /// # Errors
    ///
    /// [`Damage::Altered`] if the value does not authenticate.
    pub(crate) fn value(&self) -> Result<Zeroizing<Vec<u8>>, Damage> {
        cipher::open(&self.data_key, &self.value_nonce, &self.context, self.value).ok_or(Damage::Altered)
    }
}

fn description_context(slot: &Slot, vault: &VaultId, head: &[u8], tail: &[u8]) -> Vec<u8> {
    let mut context = slot.context(vault, "description");
    context.extend_from_slice(head);
    context.extend_from_slice(tail);
    context
}

fn nonce() -> Result<Nonce, VaultError> {
    cipher::random().map(|nonce| *nonce)
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Result<&'a [u8; N], Damage> {
    let (taken, after) = rest.split_first_chunk().ok_or(Damage::Truncated)?;
    *rest = after;
    Ok(taken)
}

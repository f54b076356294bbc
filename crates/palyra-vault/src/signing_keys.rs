//! Named Ed25519 keys for signing skills.

use crate::cipher::{self, Key};
use crate::drawer::{DamagedFile, Drawer};
use crate::{Damage, VaultError};
use ed25519_dalek::SigningKey;
use palyra_common::redact::escape_untrusted;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

const MAX_NAME_BYTES: usize = 64;

/// Access to the signing keys of an open vault.
pub struct SigningKeys<'v> {
    drawer: Drawer<'v>,
}

/// The facts about a signing key that are available without decrypting its seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKeyInfo {
    /// The name of the key in this vault.
    pub name: String,
    /// The 32 bytes of the public key.
    pub public_key: [u8; 32],
    /// Time of creation or import, in milliseconds of the caller's clock.
    pub created_ms: u64,
    /// Whether the key can sign.
    pub state: KeyState,
}

/// The state of a signing key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum KeyState {
    /// The key can sign.
    Active,
    /// The key was replaced by a successor.
    Retired {
        /// Time of the change, in milliseconds of the caller's clock.
        since_ms: u64,
    },
    /// The key is compromised, or may be.
    Revoked {
        /// Time of the change, in milliseconds of the caller's clock.
        since_ms: u64,
    },
}

/// All signing keys, with the files that could not be read.
#[derive(Debug)]
pub struct SigningKeyList {
    /// The keys, sorted by name.
    pub keys: Vec<SigningKeyInfo>,
    /// The files that failed a check.
    pub damaged: Vec<DamagedFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    public_key: String,
    created_ms: u64,
    state: KeyState,
}

impl<'v> SigningKeys<'v> {
    pub(crate) fn new(drawer: Drawer<'v>) -> Self {
        Self { drawer }
    }

    /// Generates a new key. Fails if the name exists.
    pub fn create(&self, name: &str, now_ms: u64) -> Result<SigningKeyInfo, VaultError> {
        self.import(name, &cipher::random()?, now_ms)
    }

    /// Stores a key that was generated elsewhere. Fails if the name exists.
    pub fn import(
        &self,
        name: &str,
        seed: &Zeroizing<[u8; 32]>,
        now_ms: u64,
    ) -> Result<SigningKeyInfo, VaultError> {
        check_name(name)?;
        if self.drawer.description(name)?.is_some() {
            return Err(VaultError::KeyExists { name: name.to_owned() });
        }
        let info = SigningKeyInfo {
            name: name.to_owned(),
            public_key: public_key(seed),
            created_ms: now_ms,
            state: KeyState::Active,
        };
        self.write(&info, seed)?;
        Ok(info)
    }

    /// Lists all keys without decrypting their seeds. Damaged files are part of the result, not an error.
    pub fn list(&self) -> Result<SigningKeyList, VaultError> {
        let parse = |bytes: &[u8]| parse(bytes).map(|info| (info.clone(), info.name));
        let (mut keys, damaged) = self.drawer.list(parse)?;
        keys.sort_by(|a: &SigningKeyInfo, b| a.name.cmp(&b.name));
        Ok(SigningKeyList { keys, damaged })
    }

    /// Returns the public facts about a key, without decrypting its seed.
    ///
    /// # Errors
    ///
    /// [`VaultError::UnknownKey`] if there is no key with this name.
    pub fn export_public(&self, name: &str) -> Result<SigningKeyInfo, VaultError> {
        check_name(name)?;
        let description = self.drawer.description(name)?;
        self.parse(name, &description.ok_or_else(|| unknown(name))?)
    }

    /// Returns the seed of an active key. Fails if the key is retired or revoked.
    pub fn seed(&self, name: &str) -> Result<Zeroizing<[u8; 32]>, VaultError> {
        let (info, seed) = self.open(name)?;
        match info.state {
            KeyState::Active => Ok(seed),
            state => Err(VaultError::KeyNotActive { name: name.to_owned(), state: state.name() }),
        }
    }

    /// Returns the seed of a key in any state, for statements about the key itself such as its revocation.
    pub fn seed_for_statement(&self, name: &str) -> Result<Zeroizing<[u8; 32]>, VaultError> {
        self.open(name).map(|(_, seed)| seed)
    }

    /// Marks an active key as retired, so that it no longer signs. Does not change a retired or revoked key.
    pub fn retire(&self, name: &str, now_ms: u64) -> Result<SigningKeyInfo, VaultError> {
        self.mark(name, |state| match state {
            KeyState::Active => KeyState::Retired { since_ms: now_ms },
            marked => marked,
        })
    }

    /// Marks a key as revoked, so that it no longer signs. Permanent.
    ///
    /// # Errors
    ///
    /// [`VaultError::UnknownKey`] if there is no key with this name.
    pub fn revoke(&self, name: &str, now_ms: u64) -> Result<SigningKeyInfo, VaultError> {
        self.mark(name, |state| match state {
            KeyState::Active | KeyState::Retired { .. } => KeyState::Revoked { since_ms: now_ms },
            revoked @ KeyState::Revoked { .. } => revoked,
        })
    }

    /// Removes a key permanently, readable or not. Returns `false` if there is none.
    pub fn remove(&self, name: &str) -> Result<bool, VaultError> {
        check_name(name)?;
        self.drawer.remove(name)
    }

    fn mark(
        &self,
        name: &str,
        next: impl FnOnce(KeyState) -> KeyState,
    ) -> Result<SigningKeyInfo, VaultError> {
        let (info, seed) = self.open(name)?;
        let marked = SigningKeyInfo { state: next(info.state), ..info.clone() };
        if marked != info {
            self.write(&marked, &seed)?;
        }
        Ok(marked)
    }

    fn open(&self, name: &str) -> Result<(SigningKeyInfo, Key), VaultError> {
        check_name(name)?;
        let (description, value) = self.drawer.read(name)?.ok_or_else(|| unknown(name))?;
        let info = self.parse(name, &description)?;
        let mut seed = Zeroizing::new([0; 32]);
        if value.len() != seed.len() {
            return Err(self.drawer.damaged(name, Damage::Altered));
        }
        seed.copy_from_slice(&value);
        if public_key(&seed) != info.public_key {
            return Err(self.drawer.damaged(name, Damage::Altered));
        }
        Ok((info, seed))
    }

    fn write(&self, info: &SigningKeyInfo, seed: &Key) -> Result<(), VaultError> {
        let description = Description {
            name: info.name.clone(),
            public_key: hex::encode(info.public_key),
            created_ms: info.created_ms,
            state: info.state,
        };
        let description = serde_json::to_vec(&description)
            .map_err(|_| VaultError::CannotSeal { bytes: info.name.len() })?;
        self.drawer.write(&info.name, &description, seed.as_slice())
    }

    fn parse(&self, name: &str, description: &[u8]) -> Result<SigningKeyInfo, VaultError> {
        parse(description)
            .filter(|info| info.name == name)
            .ok_or_else(|| self.drawer.damaged(name, Damage::Altered))
    }
}

impl SigningKeyInfo {
    /// Returns `ed25519:` and the SHA-256 of the public key in hexadecimal.
    pub fn key_id(&self) -> String {
        format!("ed25519:{}", hex::encode(Sha256::digest(self.public_key)))
    }
}

impl KeyState {
    /// Returns the name of the state.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retired { .. } => "retired",
            Self::Revoked { .. } => "revoked",
        }
    }
}

fn parse(description: &[u8]) -> Option<SigningKeyInfo> {
    let Description { name, public_key: text, created_ms, state } =
        serde_json::from_slice(description).ok()?;
    let mut public_key = [0; 32];
    hex::decode_to_slice(text, &mut public_key).ok()?;
    Some(SigningKeyInfo { name, public_key, created_ms, state })
}

fn public_key(seed: &Key) -> [u8; 32] {
    SigningKey::from_bytes(seed).verifying_key().to_bytes()
}

fn check_name(name: &str) -> Result<(), VaultError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let first = name.bytes().next().is_some_and(plain);
    let rest = name.bytes().all(|byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'));
    if first && rest && name.len() <= MAX_NAME_BYTES {
        Ok(())
    } else {
        Err(VaultError::InvalidKeyName { name: escape_untrusted(name) })
    }
}

fn unknown(name: &str) -> VaultError {
    VaultError::UnknownKey { name: name.to_owned() }
}

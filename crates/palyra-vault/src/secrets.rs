//! Secrets, addressed by reference.

use crate::drawer::{DamagedFile, Drawer};
use crate::{Damage, VaultError};
use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_common::redact::escape_untrusted;
use serde::{Deserialize, Serialize};

/// Maximum size of a secret, in bytes.
const MAX_SECRET_BYTES: usize = 64 << 10;

/// Access to the secrets of an open vault.
pub struct Secrets<'v> {
    drawer: Drawer<'v>,
}

/// The facts about a secret that are available without decrypting its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretInfo {
    /// The reference of the secret.
    pub reference: SecretRef,
    /// Time of the first `put`, in milliseconds of the caller's clock.
    pub created_ms: u64,
    /// Time of the last `put`, in milliseconds of the caller's clock.
    pub updated_ms: u64,
}

/// All secrets, with the files that could not be read.
#[derive(Debug)]
pub struct SecretList {
    /// The secrets, sorted by reference.
    pub secrets: Vec<SecretInfo>,
    /// The files that failed a check.
    pub damaged: Vec<DamagedFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    reference: String,
    created_ms: u64,
    updated_ms: u64,
}

impl<'v> Secrets<'v> {
    pub(crate) fn new(drawer: Drawer<'v>) -> Self {
        Self { drawer }
    }

    /// Stores a value under a reference and replaces an earlier one, whose time of creation is kept.
    ///
    /// # Errors
    ///
    /// [`VaultError::EmptySecret`] or [`VaultError::SecretTooLarge`] if the value is empty or longer than 64 KiB;
    /// [`VaultError::Damaged`] if the earlier entry is damaged.
    pub fn put(
        &self,
        reference: &SecretRef,
        value: &SecretValue,
        now_ms: u64,
    ) -> Result<SecretInfo, VaultError> {
        let name = checked_name(reference)?;
        let bytes = value.expose().len();
        if bytes == 0 {
            return Err(VaultError::EmptySecret { reference: name });
        }
        if bytes > MAX_SECRET_BYTES {
            return Err(VaultError::SecretTooLarge { reference: name, bytes, limit: MAX_SECRET_BYTES });
        }
        let created_ms = self.info(reference)?.map_or(now_ms, |info| info.created_ms);
        let description = Description { reference: name.clone(), created_ms, updated_ms: now_ms };
        let description =
            serde_json::to_vec(&description).map_err(|_| VaultError::CannotSeal { bytes: name.len() })?;
        self.drawer.write(&name, &description, value.expose())?;
        Ok(SecretInfo { reference: reference.clone(), created_ms, updated_ms: now_ms })
    }

    /// Returns the value of a reference, or `None` if there is none.
    pub fn get(&self, reference: &SecretRef) -> Result<Option<SecretValue>, VaultError> {
        let name = checked_name(reference)?;
        let Some((description, mut value)) = self.drawer.read(&name)? else { return Ok(None) };
        self.parse(&name, &description)?;
        Ok(Some(SecretValue::new(std::mem::take(&mut *value))))
    }

    /// Returns the facts about a secret, or `None` if there is none.
    pub fn info(&self, reference: &SecretRef) -> Result<Option<SecretInfo>, VaultError> {
        let name = checked_name(reference)?;
        let description = self.drawer.description(&name)?;
        description.map(|description| self.parse(&name, &description)).transpose()
    }

    /// Lists all secrets without decrypting their values. Damaged files are part of the result, not an error.
    pub fn list(&self) -> Result<SecretList, VaultError> {
        let parse = |bytes: &[u8]| parse(bytes).map(|info| (info.clone(), info.reference.to_string()));
        let (mut secrets, damaged) = self.drawer.list(parse)?;
        secrets.sort_by(|a: &SecretInfo, b| a.reference.cmp(&b.reference));
        Ok(SecretList { secrets, damaged })
    }

    /// Removes a secret, readable or not. Returns `false` if there is none.
    pub fn remove(&self, reference: &SecretRef) -> Result<bool, VaultError> {
        self.drawer.remove(&checked_name(reference)?)
    }

    fn parse(&self, name: &str, description: &[u8]) -> Result<SecretInfo, VaultError> {
        parse(description)
            .filter(|info| info.reference.to_string() == name)
            .ok_or_else(|| self.drawer.damaged(name, Damage::Altered))
    }
}

fn parse(description: &[u8]) -> Option<SecretInfo> {
    let Description { reference, created_ms, updated_ms } = serde_json::from_slice(description).ok()?;
    Some(SecretInfo { reference: reference.parse().ok()?, created_ms, updated_ms })
}

/// Returns the reference as text, if it parses back to the same reference. Its public fields can contain anything.
fn checked_name(reference: &SecretRef) -> Result<String, VaultError> {
    let name = reference.to_string();
    match name.parse::<SecretRef>() {
        Ok(parsed) if parsed == *reference => Ok(name),
        _ => Err(VaultError::InvalidReference { reference: escape_untrusted(&name) }),
    }
}

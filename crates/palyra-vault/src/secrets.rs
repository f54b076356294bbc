//! Secrets by reference.

use crate::drawer::{DamagedFile, Drawer};
use crate::{Damage, VaultError};
use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_common::redact::escape_untrusted;
use serde::{Deserialize, Serialize};

/// Largest value of a secret.
const MAX_SECRET_BYTES: usize = 64 << 10;

/// The secrets of an open vault.
pub struct Secrets<'v> {
    drawer: Drawer<'v>,
}

/// What is known about a secret without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretInfo {
    /// Its name.
    pub reference: SecretRef,
    /// Time of creation, in milliseconds of the caller's clock.
    pub created_ms: u64,
    /// Time of the last change.
    pub updated_ms: u64,
}

/// All secrets, sorted by reference, and the files that could not be read.
#[derive(Debug)]
pub struct SecretList {
    /// The found value.
    pub secrets: Vec<SecretInfo>,
    /// The failed check.
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

    /// Keeps a value under this reference, in place of an earlier one.
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

    /// The value under this reference; `None` if there is none.
    pub fn get(&self, reference: &SecretRef) -> Result<Option<SecretValue>, VaultError> {
        let name = checked_name(reference)?;
        let Some((description, mut value)) = self.drawer.read(&name)? else { return Ok(None) };
        self.parse(&name, &description)?;
        Ok(Some(SecretValue::new(std::mem::take(&mut *value))))
    }

    /// What is known about the secret under this reference; `None` if there is none.
    pub fn info(&self, reference: &SecretRef) -> Result<Option<SecretInfo>, VaultError> {
        let name = checked_name(reference)?;
        let description = self.drawer.description(&name)?;
        description.map(|description| self.parse(&name, &description)).transpose()
    }

    /// The names of all secrets; no value is opened.
    pub fn list(&self) -> Result<SecretList, VaultError> {
        let parse = |bytes: &[u8]| parse(bytes).map(|info| (info.clone(), info.reference.to_string()));
        let (mut secrets, damaged) = self.drawer.list(parse)?;
        secrets.sort_by(|a: &SecretInfo, b| a.reference.cmp(&b.reference));
        Ok(SecretList { secrets, damaged })
    }

    /// Takes the secret under this reference away, readable or not; `false` if there was none.
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

/// The reference as text, if text leads back to it: its fields are public, so it may hold anything.
fn checked_name(reference: &SecretRef) -> Result<String, VaultError> {
    let name = reference.to_string();
    match name.parse::<SecretRef>() {
        Ok(parsed) if parsed == *reference => Ok(name),
        _ => Err(VaultError::InvalidReference { reference: escape_untrusted(&name) }),
    }
}

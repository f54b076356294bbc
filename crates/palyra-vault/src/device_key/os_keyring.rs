//! The device key in the Secret Service of a desktop session.
//!
//! The kernel's own keyring is no choice: it forgets everything when the machine stops.

use super::{DeviceKey, DeviceKeyError, DeviceKeySource, Protection, RecordName, VaultId};
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use std::sync::Arc;
use zbus_secret_service_keyring_store::Store;
use zeroize::Zeroizing;

const SERVICE: &str = "palyra vault";

/// The keyring of this session.
#[derive(Debug)]
pub struct OsKeyring {
    store: Arc<Store>,
}

impl OsKeyring {
    /// Connects to it; an error where there is no session bus or nobody answers on it.
    pub fn connect() -> Result<Self, DeviceKeyError> {
        Ok(Self { store: on_a_thread(Store::new)? })
    }

    fn entry(&self, user: &str) -> Result<Entry, Error> {
        self.store.build(SERVICE, user, None)
    }

    fn read(&self, user: &str) -> Result<Option<Zeroizing<Vec<u8>>>, DeviceKeyError> {
        on_a_thread(|| match self.entry(user)?.get_secret() {
            Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn write(&self, user: &str, bytes: &[u8]) -> Result<(), DeviceKeyError> {
        on_a_thread(|| self.entry(user)?.set_secret(bytes))
    }
}

impl DeviceKeySource for OsKeyring {
    fn protection(&self) -> Protection {
        Protection::OsKeyring
    }

    fn store(&self, vault: &VaultId, key: &DeviceKey) -> Result<(), DeviceKeyError> {
        self.write(&device_key(vault), key.expose())
    }

    fn load(&self, vault: &VaultId) -> Result<DeviceKey, DeviceKeyError> {
        let place = || format!("the keyring under `{SERVICE}`, `{}`", device_key(vault));
        let bytes =
            self.read(&device_key(vault))?.ok_or_else(|| DeviceKeyError::Missing { place: place() })?;
        let mut key = Zeroizing::new([0; 32]);
        if bytes.len() != key.len() {
            return Err(DeviceKeyError::Malformed { place: place() });
        }
        key.copy_from_slice(&bytes);
        Ok(DeviceKey::from_bytes(key))
    }

    fn floor(&self, vault: &VaultId, record: RecordName) -> Result<Option<u64>, DeviceKeyError> {
        let user = generation(vault, record);
        let malformed =
            || DeviceKeyError::Malformed { place: format!("the keyring under `{SERVICE}`, `{user}`") };
        let Some(bytes) = self.read(&user)? else { return Ok(None) };
        let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or_else(malformed)
    }

    fn raise_floor(
        &self,
        vault: &VaultId,
        record: RecordName,
        generation_now: u64,
    ) -> Result<(), DeviceKeyError> {
        self.write(&generation(vault, record), generation_now.to_string().as_bytes())
    }
}

fn device_key(vault: &VaultId) -> String {
    format!("device key of {vault}")
}

fn generation(vault: &VaultId, record: RecordName) -> String {
    format!("generation of {} of {vault}", record.file_name())
}

/// The bus client drives itself and must not meet the caller's own runtime.
fn on_a_thread<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, DeviceKeyError> {
    let unavailable = |reason: String| DeviceKeyError::KeyringUnavailable { reason };
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(unavailable(reason(&error))),
        Err(_) => Err(unavailable("its client failed".to_owned())),
    }
}

/// What went wrong, without the payload some variants carry: that can be the key itself.
fn reason(error: &Error) -> String {
    match error {
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => cause.to_string(),
        Error::NoEntry => "there is no such entry".to_owned(),
        Error::Ambiguous(_) => "more than one entry has this name".to_owned(),
        _ => "its answer was not understood".to_owned(),
    }
}

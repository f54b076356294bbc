//! The device key in the Secret Service of a desktop session.
//!
//! The keyring of the kernel is not used because its contents are lost when the machine stops.

use super::{DeviceKey, DeviceKeyError, DeviceKeySource, Protection, RecordName, VaultId};
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use zbus_secret_service_keyring_store::Store;
use zeroize::Zeroizing;

const SERVICE: &str = "palyra vault";
/// The entry that a probe writes, reads and removes.
const PROBE: &str = "probe";
/// Maximum time for a response, long enough for a person to unlock the keyring.
const PATIENCE: Duration = Duration::from_secs(30);

/// The keyring of this session.
///
/// Every operation returns: one that exceeds its limit fails, and its thread is left running.
#[derive(Debug)]
pub struct OsKeyring {
    store: Arc<Store>,
    limit: Duration,
}

impl OsKeyring {
    /// Connects to the Secret Service.
    ///
    /// # Errors
    ///
    /// If there is no session bus or the service does not answer.
    pub fn connect() -> Result<Self, DeviceKeyError> {
        Self::connect_within(PATIENCE)
    }

    /// Checks that the keyring stores and returns a secret within `limit`.
    pub fn probe(limit: Duration) -> Result<(), DeviceKeyError> {
        let work = move || {
            let entry = Store::new()?.build(SERVICE, PROBE, None)?;
            entry.set_secret(PROBE.as_bytes())?;
            let kept = entry.get_secret()?;
            entry.delete_credential()?;
            Ok(kept == PROBE.as_bytes())
        };
        if within(limit, work)? {
            Ok(())
        } else {
            Err(unavailable("it returned a different value than was stored"))
        }
    }

    fn connect_within(limit: Duration) -> Result<Self, DeviceKeyError> {
        Ok(Self { store: within(limit, Store::new)?, limit })
    }

    /// Does something with one entry.
    fn with_entry<T: Send + 'static>(
        &self,
        user: String,
        work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, DeviceKeyError> {
        let store = Arc::clone(&self.store);
        within(self.limit, move || work(&store.build(SERVICE, &user, None)?))
    }

    fn read(&self, user: String) -> Result<Option<Zeroizing<Vec<u8>>>, DeviceKeyError> {
        self.with_entry(user, |entry| match entry.get_secret() {
            Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn write(&self, user: String, bytes: &[u8]) -> Result<(), DeviceKeyError> {
        let bytes = Zeroizing::new(bytes.to_vec());
        self.with_entry(user, move |entry| entry.set_secret(&bytes))
    }

    fn delete(&self, user: String) -> Result<(), DeviceKeyError> {
        self.with_entry(user, |entry| match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            deleted => deleted,
        })
    }
}

impl DeviceKeySource for OsKeyring {
    fn protection(&self) -> Protection {
        Protection::OsKeyring
    }

    fn store(&self, vault: &VaultId, key: &DeviceKey) -> Result<(), DeviceKeyError> {
        self.write(device_key(vault), key.expose())
    }

    fn load(&self, vault: &VaultId) -> Result<DeviceKey, DeviceKeyError> {
        let place = || format!("the keyring under `{SERVICE}`, `{}`", device_key(vault));
        let bytes =
            self.read(device_key(vault))?.ok_or_else(|| DeviceKeyError::Missing { place: place() })?;
        let mut key = Zeroizing::new([0; 32]);
        if bytes.len() != key.len() {
            return Err(DeviceKeyError::Malformed { place: place() });
        }
        key.copy_from_slice(&bytes);
        Ok(DeviceKey::from_bytes(key))
    }

    fn remove(&self, vault: &VaultId) -> Result<(), DeviceKeyError> {
        for record in RecordName::ALL {
            self.delete(generation(vault, record))?;
        }
        self.delete(device_key(vault))
    }

    fn floor(&self, vault: &VaultId, record: RecordName) -> Result<Option<u64>, DeviceKeyError> {
        let user = generation(vault, record);
        let malformed =
            || DeviceKeyError::Malformed { place: format!("the keyring under `{SERVICE}`, `{user}`") };
        let Some(bytes) = self.read(user.clone())? else { return Ok(None) };
        let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or_else(malformed)
    }

    fn raise_floor(
        &self,
        vault: &VaultId,
        record: RecordName,
        generation_now: u64,
    ) -> Result<(), DeviceKeyError> {
        self.write(generation(vault, record), generation_now.to_string().as_bytes())
    }
}

fn device_key(vault: &VaultId) -> String {
    format!("device key of {vault}")
}

fn generation(vault: &VaultId, record: RecordName) -> String {
    format!("generation of {} of {vault}", record.file_name())
}

/// Runs `work` on a separate thread, because the bus client runs its own event loop inside the caller's runtime.
fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, DeviceKeyError> {
    let (answer, answered) = mpsc::sync_channel(1);
    let thread = std::thread::Builder::new().name("keyring".to_owned());
    thread.spawn(move || drop(answer.send(work()))).map_err(|error| unavailable(error.to_string()))?;
    match answered.recv_timeout(limit) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(unavailable(reason(&error))),
        Err(RecvTimeoutError::Timeout) => Err(unavailable(format!("no answer within {} s", limit.as_secs()))),
        Err(RecvTimeoutError::Disconnected) => Err(unavailable("the keyring client failed")),
    }
}

fn unavailable(reason: impl Into<String>) -> DeviceKeyError {
    DeviceKeyError::KeyringUnavailable { reason: reason.into() }
}

/// Returns the error without its payload, which can be the key itself.
fn reason(error: &Error) -> String {
    match error {
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => cause.to_string(),
        Error::NoEntry => "the entry does not exist".to_owned(),
        Error::Ambiguous(_) => "several entries have this name".to_owned(),
        _ => "invalid response".to_owned(),
    }
}

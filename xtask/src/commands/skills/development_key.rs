//! The key that signs the examples on this machine: created once, stored in a vault, and trusted nowhere else.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use palyra_common::fs::{Directory, LockOutcome, OwnerLock};
use palyra_skills::signing::SkillSigningKey;
use palyra_vault::{KeySourceChoice, Vault, VaultError};

const NAME: &str = "development";
/// Maximum wait for another build that is creating the key.
const PATIENCE: Duration = Duration::from_secs(30);

/// Opens the key in the vault below `directory`; creates both if they do not exist.
pub(super) fn open(directory: &Path) -> Result<SkillSigningKey> {
    let home = Directory::create_private(directory)?;
    let _lock = match OwnerLock::acquire_within(&home, "lock", "cargo xtask skills", PATIENCE)? {
        LockOutcome::Acquired(lock) => lock,
        LockOutcome::Held { holder } => bail!("`{}` is in use by {holder}", directory.display()),
    };
    let path = directory.join("vault");
    let vault = match Vault::open(&path, None) {
        Err(VaultError::NotInitialised { .. }) => Vault::init(&path, KeySourceChoice::File)?,
        opened => opened.with_context(|| format!("remove `{}` to start over", directory.display()))?,
    };
    if vault.keys().list()?.keys.iter().all(|key| key.name != NAME) {
        vault.keys().create(NAME, now_ms())?;
    }
    Ok(SkillSigningKey::from_seed(&vault.keys().seed(NAME)?))
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_made_once_and_is_private_to_its_directory() {
        let home = tempfile::tempdir().unwrap();
        let (one, other) = (home.path().join("one"), home.path().join("other"));
        let first = open(&one).unwrap().public();
        assert_eq!(open(&one).unwrap().public(), first);
        assert_ne!(open(&other).unwrap().public(), first);
    }
}

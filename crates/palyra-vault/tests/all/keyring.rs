//! The operating system's keyring: never replaced by something weaker that nobody chose.

use crate::support::{Home, files_in};
use palyra_vault::{DeviceKeyError, KeySourceChoice, Vault, VaultError};

/// Run where no keyring answers; where one does, the round trip is tried instead.
#[test]
fn without_a_keyring_the_choice_of_one_is_refused_and_leaves_nothing() {
    let home = Home::empty();
    match Vault::init(&home.path, KeySourceChoice::OsKeyring) {
        Ok(vault) => {
            let seed = vault.device_signing_seed();
            assert_eq!(Vault::open(&home.path, None).unwrap().device_signing_seed(), seed);
        }
        Err(refused) => {
            assert!(
                matches!(
                    refused,
                    VaultError::DeviceKey(
                        DeviceKeyError::KeyringUnavailable { .. } | DeviceKeyError::KeyringNotBuilt
                    )
                ),
                "{refused:?}"
            );
            assert!(refused.hint().unwrap().contains("choose a key file, by name"));
            assert!(!home.path.exists() || files_in(&home.path).is_empty());
        }
    }
}

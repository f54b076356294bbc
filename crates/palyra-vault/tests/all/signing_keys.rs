use crate::support::{Home, files_in};
use palyra_vault::{KeyState, VaultError};
use zeroize::Zeroizing;

#[test]
fn a_key_comes_back_with_its_public_half() {
    let (home, vault) = Home::with_vault();
    let made = vault.keys().create("release", 5).unwrap();
    let vault = home.open();
    assert_eq!(vault.keys().list().unwrap().keys, std::slice::from_ref(&made));
    assert_eq!(vault.keys().export_public("release").unwrap(), made);
    assert_eq!((made.created_ms, made.state), (5, KeyState::Active));
    let seed = vault.keys().seed("release").unwrap();
    vault.keys().import("twin", &seed, 6).unwrap();
    assert_eq!(vault.keys().export_public("twin").unwrap().public_key, made.public_key);
}

/// RFC 8032, section 7.1, test 1.
#[test]
fn public_keys_and_ids_are_those_of_the_standard() {
    let (_home, vault) = Home::with_vault();
    let mut seed = Zeroizing::new([0; 32]);
    hex_into("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", &mut seed);
    let info = vault.keys().import("rfc", &seed, 1).unwrap();
    let mut public_key = [0; 32];
    hex_into("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", &mut public_key);
    assert_eq!(info.public_key, public_key);
    assert_eq!(info.key_id(), "ed25519:21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9");
}

#[test]
fn a_name_is_taken_once() {
    let (_home, vault) = Home::with_vault();
    let first = vault.keys().create("release", 1).unwrap();
    let refused = vault.keys().create("release", 2).unwrap_err();
    assert_eq!(refused.to_string(), "signing key `release` already exists");
    assert_eq!(vault.keys().export_public("release").unwrap(), first);
}

#[test]
fn a_retired_or_revoked_key_signs_no_more() {
    let (home, vault) = Home::with_vault();
    let keys = vault.keys();
    keys.create("old", 1).unwrap();
    assert_eq!(keys.retire("old", 7).unwrap().state, KeyState::Retired { since_ms: 7 });
    assert_eq!(keys.retire("old", 8).unwrap().state, KeyState::Retired { since_ms: 7 });
    assert_eq!(keys.seed("old").unwrap_err().to_string(), "the signing key `old` is retired");
    keys.seed_for_statement("old").unwrap();
    assert_eq!(keys.revoke("old", 9).unwrap().state, KeyState::Revoked { since_ms: 9 });
    assert_eq!(keys.retire("old", 10).unwrap().state, KeyState::Revoked { since_ms: 9 });
    let vault = home.open();
    assert_eq!(vault.keys().seed("old").unwrap_err().to_string(), "the signing key `old` is revoked");
    assert_eq!(files_in(&home.path.join("keys")).len(), 1);
}

#[test]
fn a_removed_key_is_unknown() {
    let (_home, vault) = Home::with_vault();
    vault.keys().create("gone", 1).unwrap();
    assert!(vault.keys().remove("gone").unwrap());
    assert!(!vault.keys().remove("gone").unwrap());
    for refused in [vault.keys().seed("gone").unwrap_err(), vault.keys().retire("gone", 1).unwrap_err()] {
        assert_eq!(refused.to_string(), "signing key `gone` does not exist");
        assert!(refused.hint().unwrap().contains("keys list"));
    }
}

#[test]
fn names_are_plain() {
    let (_home, vault) = Home::with_vault();
    for name in ["", "-x", ".x", "A", "a/b", "a b", "é", "a\0", &"x".repeat(65)] {
        assert!(matches!(vault.keys().create(name, 1), Err(VaultError::InvalidKeyName { .. })), "{name:?}");
    }
    vault.keys().create(&"x".repeat(64), 1).unwrap();
}

#[test]
fn the_device_signs_with_a_key_of_its_own() {
    let (home, vault) = Home::with_vault();
    let (_other_home, other) = Home::with_vault();
    let seed = vault.device_signing_seed();
    assert_eq!(home.open().device_signing_seed(), seed);
    assert_ne!(other.device_signing_seed(), seed);
    assert_ne!(vault.derive_key("device signing seed"), seed);
    assert_eq!(home.open().derive_key("state rows"), vault.derive_key("state rows"));
    assert_ne!(vault.derive_key("state rows"), vault.derive_key("state row"));
    assert_ne!(vault.derive_key("state rows"), other.derive_key("state rows"));
}

fn hex_into(digits: &str, bytes: &mut [u8; 32]) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    }
}

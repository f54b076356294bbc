use crate::support::{Home, MemoryKeyring, secret, value};
use palyra_vault::{
    DeviceKeyError, FileDeviceKey, KdfCost, KeyFileError, KeySourceChoice, Passphrase, Protection, Vault,
    VaultError,
};

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text).unwrap()
}

/// Creates a vault under a passphrase, with a low derivation cost.
fn under_passphrase(home: &Home, text: &str) -> Vault {
    let source = FileDeviceKey::new(&home.path).with_passphrase(passphrase(text)).with_cost(KdfCost::LEAST);
    Vault::init_with(&home.path, Box::new(source)).unwrap()
}

#[test]
fn a_passphrase_opens_what_it_closed() {
    let home = Home::empty();
    let vault = under_passphrase(&home, "correct horse");
    vault.secrets().put(&secret("global/x"), &value("1"), 1).unwrap();
    assert_eq!(vault.describe(), Protection::PassphraseFile);
    let opened = Vault::open(&home.path, Some(&passphrase("correct horse"))).unwrap();
    assert_eq!(opened.secrets().get(&secret("global/x")).unwrap().unwrap().expose(), b"1");
}

#[test]
fn wrong_or_missing_passphrase_is_reported() {
    let home = Home::empty();
    under_passphrase(&home, "correct horse");
    let refused = Vault::open(&home.path, Some(&passphrase("battery staple"))).unwrap_err();
    assert!(
        matches!(
            &refused,
            VaultError::DeviceKey(DeviceKeyError::KeyFile { source: KeyFileError::WrongPassphrase, .. })
        ),
        "{refused:?}"
    );
    let refused = Vault::open(&home.path, None).unwrap_err();
    assert!(matches!(refused, VaultError::DeviceKey(DeviceKeyError::PassphraseNeeded { .. })));
    assert!(refused.hint().unwrap().contains("systemd credential"));
}

#[test]
fn a_default_passphrase_file_has_the_recommended_cost() {
    let home = Home::empty();
    Vault::init(&home.path, KeySourceChoice::FileWithPassphrase(passphrase("x"))).unwrap();
    let text = std::fs::read_to_string(home.path.join("device.key")).unwrap();
    assert!(
        text.contains("\ntype palyra-device-key\nkdf argon2id memory=65536 passes=3 lanes=4\n"),
        "{text}"
    );
    Vault::open(&home.path, Some(&passphrase("x"))).unwrap();
}

#[test]
fn another_device_key_opens_nothing() {
    let (home, vault) = Home::with_vault();
    vault.secrets().put(&secret("global/x"), &value("1"), 1).unwrap();
    let path = home.path.join("device.key");
    let mut text = std::fs::read(&path).unwrap();
    let last = text.len() - 2;
    text[last] = if text[last] == b'0' { b'1' } else { b'0' };
    std::fs::write(&path, &text).unwrap();
    let refused = Vault::open(&home.path, None).unwrap_err();
    assert!(matches!(refused, VaultError::WrongDeviceKey { .. }), "{refused}");
    std::fs::remove_file(&path).unwrap();
    let refused = Vault::open(&home.path, None).unwrap_err();
    assert!(matches!(refused, VaultError::DeviceKey(DeviceKeyError::Missing { .. })), "{refused}");
}

#[test]
fn any_32_bytes_are_not_a_device_key() {
    let (home, _vault) = Home::with_vault();
    let path = home.path.join("device.key");
    let plain = std::fs::read_to_string(&path).unwrap();
    let digits = plain.lines().nth(1).unwrap().to_owned();
    for text in [&plain[..32], &digits, &plain.to_uppercase(), plain.trim_end(), &format!("{plain}\n"), ""] {
        std::fs::write(&path, text).unwrap();
        let refused = Vault::open(&home.path, None).unwrap_err();
        assert!(matches!(refused, VaultError::DeviceKey(DeviceKeyError::Malformed { .. })), "{text:?}");
    }
}

#[test]
fn a_vault_says_where_its_key_is_and_is_opened_there() {
    let home = Home::empty();
    let keyring = MemoryKeyring::default();
    let vault = Vault::init_with(&home.path, Box::new(keyring.clone())).unwrap();
    assert!(vault.describe().to_string().contains("keyring"));
    assert!(vault.describe().detects_restored_copies());
    assert!(!home.path.join("device.key").exists());
    Vault::open_with(&home.path, Box::new(keyring)).unwrap();
    let refused = Vault::open_with(&home.path, Box::new(FileDeviceKey::new(&home.path))).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the vault's device key is in the operating system's keyring, not in a private file"
    );
    let refused = Vault::open_with(&home.path, Box::new(MemoryKeyring::default())).unwrap_err();
    assert!(matches!(refused, VaultError::DeviceKey(DeviceKeyError::Missing { .. })));
}

#[test]
fn protections_state_whether_copies_are_detected() {
    for protection in [Protection::OsKeyring, Protection::PrivateFile, Protection::PassphraseFile] {
        let text = protection.to_string();
        assert!(text.starts_with("the device key is in "), "{text}");
        let told = text.contains("cannot be detected");
        assert_eq!(told, !protection.detects_restored_copies(), "{text}");
    }
}

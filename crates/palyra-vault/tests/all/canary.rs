//! Secret bytes appear in no file and in no message.

use crate::support::{Home, files_in, secret, value};
use palyra_vault::key_file::{self, KdfCost, KeyFileType};
use palyra_vault::{DeviceKey, FileDeviceKey, Passphrase, Vault};
use std::fmt::Debug;
use zeroize::Zeroizing;

const CANARY: &str = "canary-7f3e9c51-never-to-be-seen";
const SEED: [u8; 32] = *b"canary-seed-0123456789abcdefghij";
const PASSPHRASE: &str = "canary-passphrase-of-the-operator";

/// Returns every encoding in which bytes could leak.
fn forms(bytes: &[u8]) -> Vec<Vec<u8>> {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let list = format!("{bytes:?}");
    let list = list.trim_matches(['[', ']']).to_owned();
    vec![bytes.to_vec(), hex.to_uppercase().into_bytes(), hex.into_bytes(), list.into_bytes()]
}

fn assert_absent(place: &str, haystack: &[u8]) {
    for canary in [CANARY.as_bytes(), &SEED, PASSPHRASE.as_bytes()] {
        for form in forms(canary) {
            // A leak of one third counts as well.
            for part in form.chunks(form.len() / 3) {
                if part.len() >= 8 {
                    let found = haystack.windows(part.len()).any(|window| window == part);
                    assert!(!found, "{place} shows {:?}", String::from_utf8_lossy(part));
                }
            }
        }
    }
}

fn text(value: impl Debug) -> String {
    format!("{value:?} {value:#?}")
}

fn error_text(error: palyra_vault::VaultError) -> String {
    let mut text = format!("{error} {:?} {error:?}", error.hint());
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text += &format!(" {cause} {cause:?}");
        source = cause.source();
    }
    text
}

fn filled() -> (Home, Vault) {
    let home = Home::empty();
    let passphrase = Passphrase::new(PASSPHRASE).unwrap();
    let source = FileDeviceKey::new(&home.path).with_passphrase(passphrase).with_cost(KdfCost::LEAST);
    let vault = Vault::init_with(&home.path, Box::new(source)).unwrap();
    vault.secrets().put(&secret("global/token"), &value(CANARY), 1).unwrap();
    vault.secrets().put(&secret("skill:acme.notes/pin"), &value(CANARY), 1).unwrap();
    vault.keys().import("release", &Zeroizing::new(SEED), 1).unwrap();
    vault.keys().import("old", &Zeroizing::new(SEED), 1).unwrap();
    vault.keys().retire("old", 2).unwrap();
    (home, vault)
}

#[test]
fn no_file_of_the_vault_shows_a_secret() {
    let (home, vault) = filled();
    key_file::write(
        &home.path.join("exported"),
        KeyFileType::SigningKey,
        &Zeroizing::new(SEED),
        &Passphrase::new(PASSPHRASE).unwrap(),
        KdfCost::LEAST,
    )
    .unwrap();
    let files = files_in(&home.path);
    assert_eq!(files.len(), 7);
    for file in files {
        assert_absent(&file.display().to_string(), &std::fs::read(&file).unwrap());
        assert_absent("a file name", file.as_os_str().as_encoded_bytes());
    }
    assert_eq!(vault.secrets().get(&secret("global/token")).unwrap().unwrap().expose(), CANARY.as_bytes());
}

#[test]
fn no_text_shows_a_secret() {
    let (home, vault) = filled();
    let found = vault.secrets().get(&secret("global/token")).unwrap().unwrap();
    let texts = [
        text(&vault),
        text(vault.secrets().list().unwrap()),
        text(vault.keys().list().unwrap()),
        text(vault.describe()),
        text(Passphrase::new(PASSPHRASE).unwrap()),
        text(DeviceKey::from_bytes(Zeroizing::new(SEED))),
        text(FileDeviceKey::new(&home.path).with_passphrase(Passphrase::new(PASSPHRASE).unwrap())),
        text(&found),
        format!("{found}"),
    ];
    for text in texts {
        assert_absent(&text, text.as_bytes());
    }
}

#[test]
fn no_error_shows_a_secret() {
    let (home, vault) = filled();
    let wrong = Passphrase::new(format!("{PASSPHRASE}.")).unwrap();
    let mut texts = vec![
        error_text(Vault::open(&home.path, Some(&wrong)).unwrap_err()),
        error_text(Vault::open(&home.path, None).unwrap_err()),
        error_text(vault.keys().seed("old").unwrap_err()),
        error_text(vault.keys().import("old", &Zeroizing::new(SEED), 3).unwrap_err()),
        error_text(
            vault.secrets().put(&secret("global/token"), &value(&CANARY.repeat(3000)), 3).unwrap_err(),
        ),
    ];
    for raw in [&SEED[..], CANARY.as_bytes(), b"palyra-key-file canary-7f3e9c51-never-to-be-seen"] {
        let refused = key_file::decode(KeyFileType::SigningKey, raw, &wrong).unwrap_err();
        texts.push(format!("{refused} {refused:?} {:?}", refused.hint()));
    }
    for file in files_in(&home.path.join("secrets")) {
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file, bytes).unwrap();
    }
    texts.push(error_text(vault.secrets().get(&secret("global/token")).unwrap_err()));
    texts.push(text(vault.secrets().list().unwrap()));
    for text in texts {
        assert_absent(&text, text.as_bytes());
    }
}

/// The only exception, which the operator selects: a plain device key is in its file.
#[test]
fn a_plain_device_key_is_in_its_file_only() {
    let (home, vault) = Home::with_vault();
    vault.secrets().put(&secret("global/token"), &value(CANARY), 1).unwrap();
    let plain = std::fs::read_to_string(home.path.join("device.key")).unwrap();
    let digits = plain.lines().nth(1).unwrap();
    let raw: Vec<u8> =
        (0..32).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect();
    for file in files_in(&home.path).into_iter().filter(|file| !file.ends_with("device.key")) {
        let bytes = std::fs::read(&file).unwrap();
        for form in forms(&raw) {
            assert!(!bytes.windows(form.len()).any(|window| window == form), "{}", file.display());
        }
    }
    assert!(!text(&vault).contains(digits));
}

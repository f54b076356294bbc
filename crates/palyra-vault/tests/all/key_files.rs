use crate::support::set_mode;
use palyra_common::fs::FsError;
use palyra_vault::key_file::{self, KdfCost, KeyFileType};
use palyra_vault::{KeyFileError, Passphrase};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;
use zeroize::Zeroizing;

const KIND: KeyFileType = KeyFileType::SigningKey;

fn passphrase() -> Passphrase {
    Passphrase::new("correct horse").unwrap()
}

fn key() -> Zeroizing<[u8; 32]> {
    Zeroizing::new([0xa5; 32])
}

/// A good file, sealed once.
fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| key_file::encode(KIND, &key(), &passphrase(), KdfCost::LEAST).unwrap())
}

fn refused(text: impl AsRef<[u8]>) -> KeyFileError {
    key_file::decode(KIND, text.as_ref(), &passphrase()).unwrap_err()
}

fn written() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("release.key");
    key_file::write(&path, KIND, &key(), &passphrase(), KdfCost::LEAST).unwrap();
    (home, path)
}

#[test]
fn what_is_written_is_read() {
    let (_home, path) = written();
    assert_eq!(key_file::read(&path, KIND, &passphrase()).unwrap(), key());
    let again = key_file::write(&path, KIND, &key(), &passphrase(), KdfCost::LEAST);
    assert!(matches!(again, Err(KeyFileError::Files(FsError::Exists { .. }))));
}

#[test]
fn the_form_of_the_file_is_six_lines() {
    let shapes: Vec<String> = text().lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(shapes, ["palyra-key-file", "type", "kdf", "salt", "nonce", "sealed"]);
    assert!(text().contains("\nkdf argon2id memory=19456 passes=2 lanes=1\n"));
    assert_ne!(text(), key_file::encode(KIND, &key(), &passphrase(), KdfCost::LEAST).unwrap());
}

#[test]
fn a_file_open_to_others_is_refused() {
    let (home, path) = written();
    for mode in [0o640, 0o604, 0o644] {
        set_mode(&path, mode);
        let refused = key_file::read(&path, KIND, &passphrase()).unwrap_err();
        assert!(matches!(refused, KeyFileError::Files(FsError::TooOpen { .. })), "{refused}");
        assert_eq!(refused.hint(), Some(format!("chmod 600 {}", path.display())));
    }
    set_mode(&path, 0o600);
    let link = home.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(matches!(
        key_file::read(&link, KIND, &passphrase()),
        Err(KeyFileError::Files(FsError::NotRegular { .. }))
    ));
}

#[test]
fn any_32_bytes_are_refused() {
    let digits = "a5".repeat(32);
    let base64 = format!("{}=", "Z".repeat(43));
    for raw in [&[0xa5; 32][..], digits.as_bytes(), format!("{digits}\n").as_bytes(), base64.as_bytes()] {
        let refused = refused(raw);
        assert!(matches!(refused, KeyFileError::RawKey { .. }), "{refused}");
        assert!(refused.hint().unwrap().contains("palyra keys new NAME"));
    }
}

#[test]
fn another_type_is_refused() {
    let device = key_file::encode(KeyFileType::DeviceKey, &key(), &passphrase(), KdfCost::LEAST).unwrap();
    assert_eq!(
        refused(&device).to_string(),
        "it contains a `palyra-device-key`, expected a `ed25519-signing-key`"
    );
    let relabelled = device.replace("palyra-device-key", "ed25519-signing-key");
    assert!(matches!(refused(relabelled), KeyFileError::WrongPassphrase));
}

#[test]
fn wrong_passphrase_is_reported() {
    let other = Passphrase::new("correct horses").unwrap();
    assert!(matches!(key_file::decode(KIND, text().as_bytes(), &other), Err(KeyFileError::WrongPassphrase)));
}

/// Each would cost gigabytes or hours if it were tried.
#[test]
fn hostile_costs_are_refused_before_they_are_spent() {
    for (numbers, field) in [
        ("memory=4294967295 passes=2 lanes=1", "memory"),
        ("memory=99999999999999999999 passes=2 lanes=1", "memory"),
        ("memory=262145 passes=2 lanes=1", "memory"),
        ("memory=8 passes=2 lanes=1", "memory"),
        ("memory=19456 passes=4294967295 lanes=1", "passes"),
        ("memory=19456 passes=1 lanes=1", "passes"),
        ("memory=19456 passes=2 lanes=4294967295", "lanes"),
        ("memory=19456 passes=2 lanes=9", "lanes"),
    ] {
        let hostile = text().replace("memory=19456 passes=2 lanes=1", numbers);
        match refused(hostile) {
            KeyFileError::UnacceptableCost { field: found, .. } => assert_eq!(found, field, "{numbers}"),
            other => panic!("{numbers}: {other}"),
        }
    }
    assert!(KdfCost::new(262_144, 10, 8).is_ok());
}

#[test]
fn text_in_another_form_is_refused() {
    let good = text();
    let upper = good.lines().map(|line| match line.split_once(' ') {
        Some(("salt", digits)) => format!("salt {}\n", digits.to_uppercase()),
        _ => format!("{line}\n"),
    });
    for (bad, line) in [
        (String::new(), 1),
        ("hello".to_owned(), 1),
        (good.replace("v1", "v2"), 1),
        (good.replace("signing-key", "signing-keys"), 2),
        (good.replace("argon2id", "argon2i"), 3),
        (good.replace("memory=19456", "memory=019456"), 3),
        (good.replace("memory=19456", "memory=+19456"), 3),
        (good.replace("lanes=1", "lanes=1 x=1"), 3),
        (good.replace("memory=19456", "memory=0"), 3),
        (good.replace("\nsalt ", "\nsalt  "), 4),
        (upper.collect(), 4),
        (good.replace('\n', "\r\n"), 1),
        (good.trim_end().to_owned(), 6),
        (format!("{good}\n"), 7),
        (format!("{good}sealed 00\n"), 7),
        (format!(" {good}"), 1),
        (good.replace("\nsealed ", "\nsealed 00"), 6),
    ] {
        match refused(&bad) {
            KeyFileError::NotAKeyFile { line: found, .. } => assert_eq!(found, line, "{bad}"),
            other => panic!("{bad}: {other}"),
        }
    }
}

#[test]
fn a_huge_file_is_not_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("huge");
    let file = std::fs::File::create(&path).unwrap();
    set_mode(&path, 0o600);
    file.set_len(1 << 40).unwrap();
    assert!(matches!(
        key_file::read(&path, KIND, &passphrase()),
        Err(KeyFileError::Files(FsError::TooLarge { .. }))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_flipped_bit_is_refused(at in any::<proptest::sample::Index>(), bit in 0u8..8) {
        let mut bytes = text().as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(key_file::decode(KIND, &bytes, &passphrase()).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(key_file::decode(KIND, &bytes, &passphrase()).is_err());
    }
}

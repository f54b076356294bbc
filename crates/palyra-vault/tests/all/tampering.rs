//! Changes of the vault's files by an attacker without the device key are always detected.

use crate::support::{Home, files_in, fill, read_all, secret, set_mode, value};
use palyra_vault::{Damage, VaultError};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Writes in place, keeping name and mode; never empties the file first, which would wait for the disk.
fn overwrite(path: &Path, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file.set_len(bytes.len() as u64).unwrap();
}

#[test]
fn any_flipped_bit_in_any_file_is_refused() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    read_all(&home.path).unwrap();
    let files = files_in(&home.path);
    assert_eq!(files.len(), 6, "{files:?}");
    for file in files {
        let good = std::fs::read(&file).unwrap();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                overwrite(&file, &bad);
                assert!(read_all(&home.path).is_err(), "{} byte {at} bit {bit}", file.display());
            }
        }
        overwrite(&file, &good);
    }
    read_all(&home.path).unwrap();
}

#[test]
fn any_file_cut_short_or_made_longer_is_refused() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    for file in files_in(&home.path) {
        let good = std::fs::read(&file).unwrap();
        for length in 0..good.len() {
            overwrite(&file, &good[..length]);
            assert!(read_all(&home.path).is_err(), "{} cut to {length}", file.display());
        }
        for more in [b"\0".as_slice(), b"\n", &[0xff; 200_000]] {
            overwrite(&file, &[&good, more].concat());
            assert!(read_all(&home.path).is_err(), "{} longer by {}", file.display(), more.len());
        }
        overwrite(&file, &good);
    }
    read_all(&home.path).unwrap();
}

#[test]
fn swapped_files_are_refused() {
    let (home, vault) = Home::with_vault();
    let (one, two) = (secret("global/one"), secret("skill:acme.notes/two"));
    vault.secrets().put(&one, &value("1"), 1).unwrap();
    vault.secrets().put(&two, &value("2"), 1).unwrap();
    let files = files_in(&home.path.join("secrets"));
    let (a, b) = (std::fs::read(&files[0]).unwrap(), std::fs::read(&files[1]).unwrap());
    overwrite(&files[0], &b);
    overwrite(&files[1], &a);
    for reference in [&one, &two] {
        let refused = vault.secrets().get(reference).unwrap_err();
        assert!(matches!(refused, VaultError::Damaged { damage: Damage::Altered, .. }), "{refused}");
        assert!(vault.secrets().put(reference, &value("3"), 2).is_err(), "a put must not paper over damage");
    }
    let list = vault.secrets().list().unwrap();
    assert_eq!((list.secrets.len(), list.damaged.len()), (0, 2));
    assert!(vault.secrets().remove(&one).unwrap());
    vault.secrets().put(&one, &value("3"), 2).unwrap();
}

#[test]
fn a_renamed_file_is_refused() {
    let (home, vault) = Home::with_vault();
    vault.secrets().put(&secret("global/one"), &value("1"), 1).unwrap();
    let file = home.only_file("secrets");
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    for (renamed, damage) in [
        ("00".repeat(32), Damage::Altered),
        (name.to_uppercase(), Damage::Misnamed),
        ("notes.txt".to_owned(), Damage::Misnamed),
    ] {
        let target = file.with_file_name(renamed);
        std::fs::rename(&file, &target).unwrap();
        let list = vault.secrets().list().unwrap();
        assert!(list.secrets.is_empty());
        assert!(
            matches!(&list.damaged[..], [found]
                if matches!(found.error, VaultError::Damaged { damage: d, .. } if d == damage)),
            "{:?}",
            list.damaged
        );
        std::fs::rename(&target, &file).unwrap();
    }
}

#[test]
fn a_secret_does_not_pass_for_a_key_nor_one_record_for_the_other() {
    let (home, vault) = Home::with_vault();
    fill(&vault);
    let (a, b) = (home.only_file("secrets"), home.only_file("keys"));
    let sealed = std::fs::read(&a).unwrap();
    overwrite(&b, &sealed);
    assert!(vault.keys().seed("release").is_err());
    let moved = home.path.join("keys").join(a.file_name().unwrap());
    overwrite(&moved, &sealed);
    set_mode(&moved, 0o600);
    assert_eq!(vault.keys().list().unwrap().damaged.len(), 2);
    std::fs::copy(home.path.join("anchor"), home.path.join("journal-head")).unwrap();
    assert!(vault.journal_head().read().unwrap_err().to_string().contains("was edited"));
}

#[test]
fn another_vaults_file_is_refused() {
    let (home, vault) = Home::with_vault();
    let (other_home, other) = Home::with_vault();
    fill(&vault);
    fill(&other);
    for name in ["anchor", "journal-head", "header", "device.key"] {
        let good = std::fs::read(home.path.join(name)).unwrap();
        std::fs::copy(other_home.path.join(name), home.path.join(name)).unwrap();
        assert!(read_all(&home.path).is_err(), "{name}");
        overwrite(&home.path.join(name), &good);
    }
    read_all(&home.path).unwrap();
}

#[test]
fn missing_files_differ_from_a_new_vault() {
    for name in ["header", "device.key", "anchor", "journal-head", "secrets", "keys"] {
        let (home, vault) = Home::with_vault();
        fill(&vault);
        let path = home.path.join(name);
        if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) }.unwrap();
        let refused = read_all(&home.path).unwrap_err();
        assert!(!matches!(refused, VaultError::NotInitialised { .. }), "{name}: {refused}");
        let again = palyra_vault::Vault::init(&home.path, palyra_vault::KeySourceChoice::File);
        assert!(again.is_err(), "{name}: a damaged vault must not be made anew");
    }
}

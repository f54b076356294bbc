use crate::support::{Home, files_in, secret, value};
use palyra_common::SecretValue;
use palyra_common::capabilities::{SecretRef, SecretScope};
use palyra_vault::VaultError;
use proptest::prelude::*;

const SCOPES: [&str; 6] = [
    "global/token",
    "global/other",
    "principal:ops/token",
    "channel:alerts/token",
    "skill:acme.notes/token",
    "skill:ops/token",
];

#[test]
fn every_scope_keeps_its_own_value() {
    let (home, vault) = Home::with_vault();
    for (at, name) in SCOPES.iter().enumerate() {
        let info = vault.secrets().put(&secret(name), &value(&format!("value {at}")), at as u64).unwrap();
        assert_eq!((info.created_ms, info.updated_ms), (at as u64, at as u64));
    }
    let vault = home.open();
    for (at, name) in SCOPES.iter().enumerate() {
        let found = vault.secrets().get(&secret(name)).unwrap().unwrap();
        assert_eq!(found.expose(), format!("value {at}").as_bytes());
    }
    let list = vault.secrets().list().unwrap();
    assert!(list.damaged.is_empty());
    let mut expected: Vec<SecretRef> = SCOPES.iter().map(|name| secret(name)).collect();
    expected.sort();
    assert_eq!(list.secrets.iter().map(|info| info.reference.clone()).collect::<Vec<_>>(), expected);
}

#[test]
fn a_second_put_replaces_the_value_and_keeps_when_it_was_made() {
    let (home, vault) = Home::with_vault();
    vault.secrets().put(&secret("global/token"), &value("one"), 10).unwrap();
    let info = vault.secrets().put(&secret("global/token"), &value("two"), 20).unwrap();
    assert_eq!((info.created_ms, info.updated_ms), (10, 20));
    assert_eq!(home.open().secrets().get(&secret("global/token")).unwrap().unwrap().expose(), b"two");
    assert_eq!(home.open().secrets().info(&secret("global/token")).unwrap(), Some(info));
    assert_eq!(files_in(&home.path.join("secrets")).len(), 1);
}

#[test]
fn what_is_removed_is_gone() {
    let (home, vault) = Home::with_vault();
    vault.secrets().put(&secret("global/token"), &value("one"), 1).unwrap();
    assert!(vault.secrets().remove(&secret("global/token")).unwrap());
    assert!(!vault.secrets().remove(&secret("global/token")).unwrap());
    assert_eq!(vault.secrets().get(&secret("global/token")).unwrap(), None);
    assert!(home.open().secrets().list().unwrap().secrets.is_empty());
}

#[test]
fn file_names_do_not_tell_the_names_of_secrets() {
    let (home, vault) = Home::with_vault();
    let (other_home, other) = Home::with_vault();
    vault.secrets().put(&secret("global/token"), &value("one"), 1).unwrap();
    other.secrets().put(&secret("global/token"), &value("one"), 1).unwrap();
    let (file, other_file) = (home.only_file("secrets"), other_home.only_file("secrets"));
    assert_ne!(file.file_name(), other_file.file_name());
    assert!(!std::fs::read(&file).unwrap().windows(5).any(|window| window == b"token"));
}

#[test]
fn sizes_are_bounded() {
    let (_home, vault) = Home::with_vault();
    let put = |bytes: usize| vault.secrets().put(&secret("global/x"), &SecretValue::new(vec![7; bytes]), 1);
    assert!(matches!(put(0), Err(VaultError::EmptySecret { .. })));
    put(64 << 10).unwrap();
    assert_eq!(vault.secrets().get(&secret("global/x")).unwrap().unwrap().expose().len(), 64 << 10);
    assert!(matches!(put((64 << 10) + 1), Err(VaultError::SecretTooLarge { bytes: 65_537, .. })));
}

#[test]
fn a_reference_that_is_no_text_is_refused() {
    let (_home, vault) = Home::with_vault();
    for (scope, key) in [
        (SecretScope::Global, "a/b"),
        (SecretScope::Global, ""),
        (SecretScope::Skill("x/global".to_owned()), "a"),
        (SecretScope::Principal("\u{202e}".to_owned()), "a"),
    ] {
        let reference = SecretRef { scope, key: key.to_owned() };
        let refused = vault.secrets().put(&reference, &value("x"), 1);
        assert!(matches!(refused, Err(VaultError::InvalidReference { .. })), "{reference:?}");
        assert!(matches!(vault.secrets().get(&reference), Err(VaultError::InvalidReference { .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_value_under_any_name_comes_back(
        scope in prop_oneof![
            Just("global".to_owned()),
            "principal:[A-Za-z0-9_-]{1,128}", "channel:[a-z0-9]{1,20}", "skill:[a-z]{1,8}[.][a-z]{1,8}",
        ],
        key in "[A-Za-z0-9_-]{1,128}",
        bytes in proptest::collection::vec(any::<u8>(), 1..2000),
        now in any::<u64>(),
    ) {
        let (home, vault) = Home::with_vault();
        let reference = secret(&format!("{scope}/{key}"));
        vault.secrets().put(&reference, &SecretValue::new(bytes.clone()), now).unwrap();
        let vault = home.open();
        let found = vault.secrets().get(&reference).unwrap().unwrap();
        prop_assert_eq!(found.expose(), &bytes[..]);
        prop_assert_eq!(vault.secrets().list().unwrap().secrets[0].updated_ms, now);
    }
}

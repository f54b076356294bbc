use crate::support::{Home, MemoryKeyring, anchor_value, files_in};
use palyra_vault::{AnchorError, AnchorState, AnchorValue, Vault};
use std::path::Path;

fn state(committed: &str, pending: Option<&str>) -> Option<AnchorState> {
    Some(AnchorState { committed: anchor_value(committed), pending: pending.map(anchor_value) })
}

#[test]
fn pending_then_committed() {
    let (home, vault) = Home::with_vault();
    let anchor = vault.anchor();
    assert_eq!(anchor.read().unwrap(), None);
    anchor.initialise(anchor_value("1")).unwrap();
    assert_eq!(anchor.read().unwrap(), state("1", None));
    anchor.write_pending(anchor_value("2")).unwrap();
    assert_eq!(home.open().anchor().read().unwrap(), state("1", Some("2")));
    anchor.commit().unwrap();
    assert_eq!(home.open().anchor().read().unwrap(), state("2", None));
    anchor.write_pending(anchor_value("3")).unwrap();
    anchor.discard_pending().unwrap();
    assert_eq!(home.open().anchor().read().unwrap(), state("2", None));
}

#[test]
fn steps_out_of_order_are_refused() {
    let (_home, vault) = Home::with_vault();
    let anchor = vault.anchor();
    assert!(matches!(anchor.write_pending(anchor_value("1")), Err(AnchorError::NeverInitialised { .. })));
    assert!(matches!(anchor.commit(), Err(AnchorError::NeverInitialised { .. })));
    anchor.initialise(anchor_value("1")).unwrap();
    assert!(matches!(anchor.initialise(anchor_value("1")), Err(AnchorError::AlreadyInitialised { .. })));
    assert!(matches!(anchor.commit(), Err(AnchorError::NothingPending { .. })));
    assert!(matches!(anchor.discard_pending(), Err(AnchorError::NothingPending { .. })));
    anchor.write_pending(anchor_value("2")).unwrap();
    assert!(matches!(anchor.write_pending(anchor_value("3")), Err(AnchorError::PendingExists { .. })));
    assert_eq!(anchor.read().unwrap(), state("1", Some("2")));
}

#[test]
fn values_have_at_most_4096_bytes() {
    assert!(matches!(
        AnchorValue::new(vec![0; 4097]),
        Err(AnchorError::ValueTooLong { bytes: 4097, limit: 4096 })
    ));
    let (home, vault) = Home::with_vault();
    let (one, two) = (AnchorValue::new([1; 4096]).unwrap(), AnchorValue::new([2; 4096]).unwrap());
    vault.anchor().initialise(one.clone()).unwrap();
    vault.anchor().write_pending(two.clone()).unwrap();
    let found = home.open().anchor().read().unwrap();
    assert_eq!(found, Some(AnchorState { committed: one, pending: Some(two) }));
    vault.journal_head().write(AnchorValue::new([]).unwrap()).unwrap();
    assert_eq!(vault.journal_head().read().unwrap().unwrap().as_bytes(), b"");
}

#[test]
fn anchor_states_are_distinguished() {
    let (home, vault) = Home::with_vault();
    let path = home.path.join("anchor");
    assert_eq!(vault.anchor().read().unwrap(), None);
    vault.anchor().initialise(anchor_value("1")).unwrap();
    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, &good[..good.len() - 1]).unwrap();
    let error = home.open().anchor().read().unwrap_err();
    assert!(
        matches!(error, AnchorError::Truncated { found, expected, .. } if found + 1 == expected),
        "{error}"
    );
    std::fs::write(&path, b"").unwrap();
    assert!(matches!(home.open().anchor().read(), Err(AnchorError::Truncated { found: 0, .. })));
    let mut edited = good.clone();
    *edited.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &edited).unwrap();
    let error = home.open().anchor().read().unwrap_err();
    assert!(matches!(error, AnchorError::Edited { .. }), "{error}");
    assert!(error.hint().unwrap().contains("trust repair"));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(home.open().anchor().read(), Err(AnchorError::Deleted { .. })));
    assert!(matches!(vault.anchor().initialise(anchor_value("1")), Err(AnchorError::Deleted { .. })));
    assert!(matches!(vault.anchor().write_pending(anchor_value("2")), Err(AnchorError::Deleted { .. })));
}

#[test]
fn a_confirmed_repair_replaces_whatever_is_there() {
    let (home, vault) = Home::with_vault();
    vault.anchor().initialise(anchor_value("1")).unwrap();
    for damage in [None, Some(b"".as_slice()), Some(b"garbage".as_slice())] {
        match damage {
            None => std::fs::remove_file(home.path.join("anchor")).unwrap(),
            Some(bytes) => std::fs::write(home.path.join("anchor"), bytes).unwrap(),
        }
        assert!(vault.anchor().read().is_err());
        vault.anchor().replace(anchor_value("repaired")).unwrap();
        assert_eq!(home.open().anchor().read().unwrap(), state("repaired", None));
    }
}

#[test]
fn the_journal_head_follows_the_same_rules() {
    let (home, vault) = Home::with_vault();
    let head = vault.journal_head();
    assert_eq!(head.read().unwrap(), None);
    head.write(anchor_value("a")).unwrap();
    head.write(anchor_value("b")).unwrap();
    assert_eq!(home.open().journal_head().read().unwrap(), Some(anchor_value("b")));
    std::fs::remove_file(home.path.join("journal-head")).unwrap();
    assert!(matches!(head.read(), Err(AnchorError::Deleted { .. })));
    assert!(matches!(head.write(anchor_value("c")), Err(AnchorError::Deleted { .. })));
    head.replace(anchor_value("c")).unwrap();
    assert_eq!(head.read().unwrap(), Some(anchor_value("c")));
    assert_eq!(vault.anchor().read().unwrap(), None, "one record does not begin the other");
}

fn copy_vault(from: &Path, to: &Path) {
    for file in files_in(from) {
        std::fs::copy(&file, to.join(file.strip_prefix(from).unwrap())).unwrap();
    }
}

#[test]
fn a_keyring_finds_out_an_old_copy_of_the_whole_vault() {
    let (home, backup) = (Home::empty(), tempfile::tempdir().unwrap());
    let keyring = MemoryKeyring::default();
    let vault = Vault::init_with(&home.path, Box::new(keyring.clone())).unwrap();
    vault.anchor().initialise(anchor_value("1")).unwrap();
    vault.journal_head().write(anchor_value("a")).unwrap();
    copy_vault(&home.path, backup.path());
    vault.anchor().write_pending(anchor_value("2")).unwrap();
    vault.anchor().commit().unwrap();
    vault.journal_head().write(anchor_value("b")).unwrap();
    copy_vault(backup.path(), &home.path);

    let vault = Vault::open_with(&home.path, Box::new(keyring.clone())).unwrap();
    assert!(matches!(vault.anchor().read(), Err(AnchorError::RolledBack { found: 1, expected: 3, .. })));
    assert!(matches!(
        vault.journal_head().read(),
        Err(AnchorError::RolledBack { found: 1, expected: 2, .. })
    ));
    assert!(vault.anchor().write_pending(anchor_value("3")).is_err());
    vault.anchor().replace(anchor_value("restored")).unwrap();
    assert_eq!(vault.anchor().read().unwrap(), state("restored", None));

    std::fs::remove_file(home.path.join("anchor")).unwrap();
    assert!(matches!(vault.anchor().read(), Err(AnchorError::Deleted { .. })));
}

/// Verifies the description of `Protection::PrivateFile`, which the documents repeat.
#[test]
fn a_key_file_does_not_find_out_an_old_copy_of_the_whole_vault() {
    let (home, vault) = Home::with_vault();
    let backup = tempfile::tempdir().unwrap();
    vault.anchor().initialise(anchor_value("1")).unwrap();
    copy_vault(&home.path, backup.path());
    vault.anchor().write_pending(anchor_value("2")).unwrap();
    vault.anchor().commit().unwrap();
    copy_vault(backup.path(), &home.path);
    assert_eq!(home.open().anchor().read().unwrap(), state("1", None));
}

//! A copy of the state root, and putting it back.

use std::fs;
use std::path::{Path, PathBuf};

use palyra_common::{Scope, ScopeSet};
use palyra_journal::{EventKind, Query, RecordedEvent};
use palyra_state::{BackupError, BackupManifest, State, StateError, check_backup};

use crate::home::Home;

fn token(home: &Home, name: &str) {
    let state = home.open();
    let scopes: ScopeSet = [Scope::Read].into_iter().collect();
    state.add_token(name, scopes, None, "owner").unwrap();
    state.close().unwrap();
}

fn tokens(home: &Home) -> Vec<String> {
    home.open().tokens().into_iter().map(|token| token.name).collect()
}

fn restored(home: &Home) -> Vec<RecordedEvent> {
    let kinds = vec![EventKind::StateRestored];
    home.open().journal().query(&Query { kinds, ..Query::default() }).unwrap().events
}

fn backup(home: &Home, name: &str) -> PathBuf {
    let file = home.folder.path().join(name);
    write(&home.open(), &file);
    file
}

fn write(state: &State, file: &Path) -> BackupManifest {
    let mut options = fs::OpenOptions::new();
    let mut to = options.write(true).create_new(true).open(file).unwrap();
    let manifest = state.backup(&mut to, "owner").unwrap();
    assert_eq!(check_backup(file).unwrap(), manifest);
    manifest
}

#[test]
fn a_copy_comes_back_whole_with_both_heads_on_record() {
    let home = Home::new();
    token(&home, "before");
    let file = backup(&home, "copy.tar");
    token(&home, "after");
    let head = home.open().journal().head();
    let plan = home.root.restore_plan(&home.options, &file).unwrap();
    assert!(plan.replaces && plan.present_head == Some(head) && plan.backup_head.size < head.size);
    let done = home.root.restore(&home.options, &file).unwrap();
    assert_eq!(tokens(&home), ["before"]);
    let told = restored(&home);
    assert_eq!(told.len(), 1);
    let details = &told[0].event.details;
    assert_eq!(details["backup_head"]["size"], plan.backup_head.size);
    assert_eq!(details["present_head"]["size"], head.size);
    // The old one is kept, and opens.
    let old = Home { root: palyra_state::StateRoot::new(done.put_aside.unwrap()), ..home };
    assert_eq!(tokens(&old), ["after", "before"]);
}

#[test]
fn a_copy_comes_back_where_nothing_is_left() {
    let home = Home::new();
    token(&home, "kept");
    let file = backup(&home, "copy.tar");
    fs::remove_dir_all(home.root.path()).unwrap();
    let done = home.root.restore(&home.options, &file).unwrap();
    assert!(done.put_aside.is_none() && !done.plan.replaces);
    assert_eq!(tokens(&home), ["kept"]);
    // And again, over what was just put back.
    let again = home.root.restore(&home.options, &file).unwrap();
    assert!(again.put_aside.is_some());
    assert_eq!(tokens(&home), ["kept"]);
}

#[test]
fn a_damaged_state_is_replaced_by_a_copy() {
    let home = Home::new();
    token(&home, "kept");
    let file = backup(&home, "copy.tar");
    home.sql("DELETE FROM token_rows");
    home.damage();
    home.root.restore(&home.options, &file).unwrap();
    assert_eq!(tokens(&home), ["kept"]);
}

#[test]
fn a_copy_that_was_changed_is_refused_and_nothing_is_touched() {
    let home = Home::new();
    token(&home, "kept");
    let file = backup(&home, "copy.tar");
    let whole = fs::read(&file).unwrap();
    let names = || {
        let mut names: Vec<String> = fs::read_dir(home.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let before = names();
    for at in [0, 600, whole.len() / 2, whole.len() * 3 / 4] {
        let mut bytes = whole.clone();
        // A block of the archive may be padding: change what cannot be.
        for byte in bytes.iter_mut().skip(at).take(600) {
            *byte ^= 0x55;
        }
        fs::write(&file, &bytes).unwrap();
        let refused = home.root.restore(&home.options, &file).unwrap_err();
        assert!(matches!(refused, BackupError::NotABackup(_) | BackupError::Damaged(_)), "{at}: {refused:?}");
    }
    for length in [0, 100, 2_000, whole.len() / 2] {
        fs::write(&file, &whole[..length]).unwrap();
        let refused = home.root.restore(&home.options, &file).unwrap_err();
        assert!(matches!(refused, BackupError::NotABackup(_)), "{length}: {refused:?}");
    }
    assert_eq!(names(), before, "nothing is left behind");
    assert_eq!(tokens(&home), ["kept"]);
    assert!(restored(&home).is_empty());
}

#[test]
fn a_copy_of_an_edited_state_is_refused() {
    let home = Home::new();
    token(&home, "kept");
    // Edited while nobody looked, and copied by somebody who does not open it.
    let state = home.open();
    let edit = |transaction: &mut palyra_journal::JournalTransaction<'_>| {
        let sql = "UPDATE token_rows SET bytes = CAST(replace(bytes, 'read', 'admin') AS BLOB)";
        transaction.sql().execute_batch(sql).map_err(palyra_journal::JournalError::sqlite("edit"))
    };
    state.journal().transaction(palyra_journal::Durability::Full, edit).wait().unwrap();
    let file = home.folder.path().join("copy.tar");
    write(&state, &file);
    state.close().unwrap();
    let refused = home.root.restore(&home.options, &file).unwrap_err();
    assert!(matches!(refused, BackupError::Damaged(_)), "{refused:?}");
}

#[test]
fn a_copy_is_not_put_under_an_owner_and_holds_nothing_of_a_process() {
    let home = Home::new();
    let owner = home.open();
    let file = home.folder.path().join("copy.tar");
    let manifest = write(&owner, &file);
    let options = palyra_state::StateOptions { wait: std::time::Duration::ZERO, ..home.options.clone() };
    let busy = home.root.restore(&options, &file).unwrap_err();
    assert!(matches!(busy, BackupError::State(StateError::Busy { .. })), "{busy:?}");
    owner.close().unwrap();
    let mode = |name: &str| manifest.files.iter().find(|file| file.path == name).unwrap().mode;
    assert_eq!((mode("vault/device.key"), mode("state.db")), (0o600, 0o600));
    for left_out in ["owner.lock", "owner.token", "run/", "cache/", "state.db-"] {
        assert!(manifest.files.iter().all(|file| !file.path.starts_with(left_out)), "{left_out}");
    }
    assert!(!home.root.path().join("cache/backup").exists());
}

#[test]
fn a_copy_is_of_one_moment_while_others_go_on() {
    let home = Home::new();
    let state = home.open();
    let scopes: ScopeSet = [Scope::Read].into_iter().collect();
    let going = std::sync::atomic::AtomicBool::new(true);
    let file = |number: usize| home.folder.path().join(format!("copy-{number}.tar"));
    let manifests: Vec<BackupManifest> = std::thread::scope(|threads| {
        let work = |who: usize| {
            let (state, going, scopes) = (&state, &going, &scopes);
            move || {
                for number in 0.. {
                    if !going.load(std::sync::atomic::Ordering::Relaxed) {
                        return;
                    }
                    let name = format!("token-{who}-{number}");
                    state.add_token(&name, scopes.clone(), None, "owner").unwrap();
                    let secret = "global/key".parse().unwrap();
                    let value = palyra_common::SecretValue::new(name.clone().into_bytes());
                    state.put_secret(&secret, &value, "owner").unwrap();
                    state.remove_token(&name, "owner").unwrap();
                }
            }
        };
        threads.spawn(work(0));
        threads.spawn(work(1));
        let manifests = (0..4).map(|number| write(&state, &file(number))).collect();
        going.store(false, std::sync::atomic::Ordering::Relaxed);
        manifests
    });
    state.close().unwrap();
    for (number, manifest) in manifests.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let root = palyra_state::StateRoot::new(folder.path().join("root"));
        let copy = Home { folder, root, options: home.options.clone() };
        copy.root.restore(&copy.options, &file(number)).unwrap();
        let state = copy.open();
        assert_eq!(restored_from(&state).event.details["backup_head"]["size"], manifest.head.size);
        let made = Query { kinds: vec![EventKind::StateBackedUp], ..Query::default() };
        let made = state.journal().query(&made).unwrap().events;
        // The leaf that tells of a copy is the last one in it.
        assert_eq!(made.last().unwrap().leaf.sequence + 1, manifest.head.size);
        assert_eq!(made.len(), number + 1);
        let verified = state.journal().verify(palyra_journal::VerifyScope::Everything, None).unwrap();
        assert!(verified.damage.is_none(), "{:?}", verified.damage);
    }
}

fn restored_from(state: &State) -> RecordedEvent {
    let kinds = vec![EventKind::StateRestored];
    state.journal().query(&Query { kinds, ..Query::default() }).unwrap().events.remove(0)
}

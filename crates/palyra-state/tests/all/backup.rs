//! A copy of the state root, and putting it back.

use std::fs;
use std::path::{Path, PathBuf};

use palyra_common::{Scope, ScopeSet};
use palyra_journal::{EventKind, Query, RecordedEvent};
use palyra_state::{
    BackupError, BackupManifest, RestoreAcceptance, Restored, State, StateError, StateOptions, StateRoot,
    check_backup,
};
use palyra_testkit::Home;

/// Restores a signed backup.
fn restore(root: &StateRoot, options: &StateOptions, file: &Path) -> Result<Restored, BackupError> {
    root.stage_restore(options, file)?.finish(&RestoreAcceptance::default())
}

fn token(home: &Home, name: &str) {
    let state = home.open();
    let scopes: ScopeSet = [Scope::Read].into_iter().collect();
    state.tokens().add(name, scopes, None, "owner").unwrap();
    state.close().unwrap();
}

fn tokens(home: &Home) -> Vec<String> {
    home.open().tokens().list().into_iter().map(|token| token.name).collect()
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
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    let plan = staged.plan().clone();
    assert!(plan.signed && plan.missing.is_empty() && plan.altered.is_empty() && plan.left_out.is_empty());
    assert!(plan.replaces && plan.present_head == Some(head) && plan.backup_head.size < head.size);
    let done = staged.finish(&RestoreAcceptance::default()).unwrap();
    assert_eq!(tokens(&home), ["before"]);
    let told = restored(&home);
    assert_eq!(told.len(), 1);
    let details = &told[0].event.details;
    assert_eq!(details["backup_head"]["size"], plan.backup_head.size);
    assert_eq!(details["present_head"]["size"], head.size);
    // The old root is kept, and can be opened.
    let old = Home { root: StateRoot::new(done.put_aside.unwrap()), ..home };
    assert_eq!(tokens(&old), ["after", "before"]);
}

#[test]
fn a_copy_comes_back_where_nothing_is_left() {
    let home = Home::new();
    token(&home, "kept");
    let file = backup(&home, "copy.tar");
    fs::remove_dir_all(home.root.path()).unwrap();
    let done = restore(&home.root, &home.options, &file).unwrap();
    assert!(done.put_aside.is_none() && !done.plan.replaces);
    assert_eq!(tokens(&home), ["kept"]);
    // Restores again, over the restored root.
    let again = restore(&home.root, &home.options, &file).unwrap();
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
    restore(&home.root, &home.options, &file).unwrap();
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
        // Changes more than one block of the archive, because a single one may be padding.
        for byte in bytes.iter_mut().skip(at).take(600) {
            *byte ^= 0x55;
        }
        fs::write(&file, &bytes).unwrap();
        let refused = restore(&home.root, &home.options, &file).unwrap_err();
        assert!(matches!(refused, BackupError::NotABackup(_) | BackupError::Damaged(_)), "{at}: {refused:?}");
    }
    for length in [0, 100, 2_000, whole.len() / 2] {
        fs::write(&file, &whole[..length]).unwrap();
        let refused = restore(&home.root, &home.options, &file).unwrap_err();
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
    // The row is edited outside of the pipeline, and the backup is made without opening the state again.
    let state = home.open();
    let edit = |transaction: &mut palyra_journal::JournalTransaction<'_>| {
        let sql = "UPDATE token_rows SET bytes = CAST(replace(bytes, 'read', 'admin') AS BLOB)";
        transaction.sql().execute_batch(sql).map_err(palyra_journal::JournalError::sqlite("edit"))
    };
    state.journal().transaction(palyra_journal::Durability::Full, edit).wait().unwrap();
    let file = home.folder.path().join("copy.tar");
    write(&state, &file);
    state.close().unwrap();
    let refused = restore(&home.root, &home.options, &file).unwrap_err();
    assert!(matches!(refused, BackupError::Damaged(_)), "{refused:?}");
}

#[test]
fn a_copy_is_not_put_under_an_owner_and_holds_nothing_of_a_process() {
    let home = Home::new();
    let owner = home.open();
    let file = home.folder.path().join("copy.tar");
    let manifest = write(&owner, &file);
    let options = StateOptions { wait: std::time::Duration::ZERO, ..home.options.clone() };
    let busy = restore(&home.root, &options, &file).unwrap_err();
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
                    state.tokens().add(&name, scopes.clone(), None, "owner").unwrap();
                    let secret = "global/key".parse().unwrap();
                    let value = palyra_common::SecretValue::new(name.clone().into_bytes());
                    state.vault_store().put_secret(&secret, &value, "owner").unwrap();
                    state.tokens().remove(&name, "owner").unwrap();
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
        let root = StateRoot::new(folder.path().join("root"));
        let copy = Home { folder, root, options: home.options.clone() };
        restore(&copy.root, &copy.options, &file(number)).unwrap();
        let state = copy.open();
        assert_eq!(restored_from(&state).event.details["backup_head"]["size"], manifest.head.size);
        let made = Query { kinds: vec![EventKind::StateBackedUp], ..Query::default() };
        let made = state.journal().query(&made).unwrap().events;
        // The leaf of the backup is the last one in it.
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

/// Returns the entries of a backup with their names.
fn entries(file: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(fs::File::open(file).unwrap());
    let read = |entry: std::io::Result<tar::Entry<'_, fs::File>>| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        (entry.path().unwrap().display().to_string(), bytes)
    };
    archive.entries().unwrap().map(read).collect()
}

fn pack(file: &Path, entries: &[(String, Vec<u8>)]) {
    let mut archive = tar::Builder::new(fs::File::create(file).unwrap());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        archive.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    archive.into_inner().unwrap();
}

/// Modifies a backup without its key: files and manifest match, the signature is the old one.
fn forge(file: &Path, edit: impl FnOnce(&mut serde_json::Value, &mut Vec<(String, Vec<u8>)>)) {
    let mut all = entries(file);
    let mut manifest: serde_json::Value = serde_json::from_slice(&all[0].1).unwrap();
    let mut files = all.split_off(2);
    edit(&mut manifest, &mut files);
    files.sort();
    let described = |(path, bytes): &(String, Vec<u8>)| {
        serde_json::json!({ "path": path, "bytes": bytes.len(), "mode": 0o600,
            "sha256": palyra_skills::Sha256Digest::of(bytes).to_string() })
    };
    manifest["files"] = files.iter().map(described).collect();
    all[0].1 = serde_json::to_vec(&manifest).unwrap();
    if manifest["schema"] == "palyra.backup/v1" {
        all.truncate(1);
    }
    all.extend(files);
    pack(file, &all);
}

fn unsigned(manifest: &mut serde_json::Value) {
    manifest["schema"] = "palyra.backup/v1".into();
    manifest.as_object_mut().unwrap().remove("key");
}

#[test]
fn restore_refuses_files_a_backup_never_has() {
    let home = Home::new();
    let file = backup(&home, "copy.tar");
    let whole = fs::read(&file).unwrap();
    for path in ["owner.token", "owner.lock", "cache/code/x", "run/endpoint.json", "logs/palyrad.log"] {
        fs::write(&file, &whole).unwrap();
        forge(&file, |_, files| files.push((path.into(), b"planted".to_vec())));
        let refused = home.root.stage_restore(&home.options, &file).map(|_| ()).unwrap_err();
        assert!(
            matches!(refused, BackupError::NotABackup(_)) && refused.to_string().contains(path),
            "{refused}"
        );
    }
    // An earlier version copied the whole directory: such files are listed and not restored.
    fs::write(&file, &whole).unwrap();
    forge(&file, |manifest, files| {
        unsigned(manifest);
        files.push(("owner.token".into(), b"planted".to_vec()));
    });
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    assert_eq!(staged.plan().left_out, ["owner.token"]);
    staged.finish(&RestoreAcceptance { unsigned: true, ..RestoreAcceptance::default() }).unwrap();
    assert!(!home.root.path().join("owner.token").exists());
}

#[test]
fn restore_refuses_a_file_that_was_changed_in_a_signed_backup() {
    let home = Home::new();
    let file = backup(&home, "copy.tar");
    type Edit = fn(&mut Vec<(String, Vec<u8>)>);
    let edits: [Edit; 2] = [
        |files| files.retain(|(path, _)| path != "vault/journal-head"),
        |files| files.push((format!("tapes/aa/{}", "aa".repeat(32)), Vec::new())),
    ];
    for edit in edits {
        let whole = fs::read(&file).unwrap();
        forge(&file, |_, files| edit(files));
        let refused = home.root.stage_restore(&home.options, &file).map(|_| ()).unwrap_err();
        assert!(
            matches!(refused, BackupError::Damaged(_)) && refused.to_string().contains("signature"),
            "{refused}"
        );
        assert!(check_backup(&file).is_err());
        fs::write(&file, whole).unwrap();
    }
    // A manifest that is signed by the key of another journal and names that key.
    let (other, mine) = (Home::new(), entries(&file));
    let mut all = entries(&backup(&other, "other.tar"));
    all.truncate(2);
    all.extend(mine.into_iter().skip(2));
    pack(&file, &all);
    home.root.stage_restore(&home.options, &file).map(|_| ()).unwrap_err();
}

#[test]
fn unsigned_backup_is_restored_only_when_that_is_accepted() {
    let home = Home::new();
    token(&home, "kept");
    let file = backup(&home, "copy.tar");
    forge(&file, |manifest, _| unsigned(manifest));
    let refused = restore(&home.root, &home.options, &file).unwrap_err();
    assert!(matches!(refused, BackupError::Unsigned), "{refused}");
    assert!(restored(&home).is_empty());
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    assert!(!staged.plan().signed && staged.plan().contents.contains(&"vault/device.key".to_owned()));
    staged.finish(&RestoreAcceptance { unsigned: true, ..RestoreAcceptance::default() }).unwrap();
    assert_eq!(tokens(&home), ["kept"]);
}

#[test]
fn backup_of_another_state_root_replaces_this_one_only_when_that_is_accepted() {
    let (home, other) = (Home::new(), Home::new());
    token(&other, "foreign");
    let file = backup(&other, "copy.tar");
    let refused = restore(&home.root, &home.options, &file).unwrap_err();
    assert!(matches!(refused, BackupError::OtherKey { .. }), "{refused}");
    assert!(tokens(&home).is_empty());
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    staged.finish(&RestoreAcceptance { other_key: true, ..RestoreAcceptance::default() }).unwrap();
    assert_eq!(tokens(&home), ["foreign"]);
}

#[test]
fn restore_uses_verified_content_if_file_is_replaced() {
    let home = Home::new();
    token(&home, "shown");
    let file = backup(&home, "copy.tar");
    token(&home, "swapped");
    let other = backup(&home, "other.tar");
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    fs::copy(other, &file).unwrap();
    staged.finish(&RestoreAcceptance::default()).unwrap();
    assert_eq!(tokens(&home), ["shown"]);
}

#[test]
fn restore_that_is_not_finished_leaves_nothing_behind() {
    let home = Home::new();
    let file = backup(&home, "copy.tar");
    let staging = home.folder.path().join("root.restoring");
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    assert!(staging.exists());
    let options = StateOptions { wait: std::time::Duration::ZERO, ..home.options.clone() };
    let busy = home.root.stage_restore(&options, &file).map(|_| ()).unwrap_err();
    assert_eq!(busy.code().as_str(), "state_busy", "{busy}");
    drop(staged);
    assert!(!staging.exists());
    home.open();
}

#[test]
fn restore_shows_what_the_backup_lacks() {
    let home = Home::new();
    let state = home.open();
    for name in ["global/gone", "global/kept"] {
        let value = palyra_common::SecretValue::new(b"value".to_vec());
        state.vault_store().put_secret(&name.parse().unwrap(), &value, "owner").unwrap();
    }
    state.vault_store().create_key("release", "owner").unwrap();
    palyra_testkit::install(&state, &palyra_testkit::Release::number(1).build());
    let kept = "global/gone".parse().unwrap();
    // As if the file had been deleted without an event in the journal.
    state.vault().secrets().remove(&kept).unwrap();
    state.vault().keys().remove("release").unwrap();
    state.close().unwrap();
    let file = backup(&home, "copy.tar");
    forge(&file, |manifest, files| {
        unsigned(manifest);
        files.retain(|(path, _)| !path.starts_with("objects/"));
    });
    let staged = home.root.stage_restore(&home.options, &file).unwrap();
    let missing = &staged.plan().missing;
    let expected = ["secret `global/gone`", "signing key `release`", "package of `acme.notes`"];
    assert_eq!(missing.len(), expected.len(), "{missing:?}");
    assert!(expected.iter().zip(missing).all(|(expected, found)| found.starts_with(expected)), "{missing:?}");
}

#[test]
fn backup_leaves_out_whatever_else_is_in_the_root() {
    let home = Home::new();
    fs::create_dir(home.root.path().join("logs")).unwrap();
    fs::write(home.root.path().join("logs/palyrad.log"), "line").unwrap();
    fs::write(home.root.path().join("notes.txt"), "mine").unwrap();
    std::os::unix::fs::symlink("/etc", home.root.path().join("link")).unwrap();
    let file = backup(&home, "copy.tar");
    let manifest = check_backup(&file).unwrap();
    let paths: Vec<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.iter().all(|path| *path == "state.db" || path.starts_with("vault/")), "{paths:?}");
    restore(&home.root, &home.options, &file).unwrap();
}

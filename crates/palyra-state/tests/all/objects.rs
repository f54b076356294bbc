//! Objects that do not match the index: rows I01, I02, I08.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;

use palyra_skills::Sha256Digest;
use palyra_state::objects::{ObjectError, ObjectStore};

fn store() -> (tempfile::TempDir, ObjectStore) {
    let home = tempfile::tempdir().unwrap();
    let store = ObjectStore::create(&home.path().join("objects")).unwrap();
    (home, store)
}

/// Creates a store whose only object lost its file; the path is where the file was.
fn emptied() -> (tempfile::TempDir, ObjectStore, Sha256Digest, PathBuf) {
    let (home, store) = store();
    let digest = store.put(b"the artifact").unwrap();
    let path = store.path_of(&digest);
    fs::remove_file(&path).unwrap();
    (home, store, digest, path)
}

#[test]
fn an_object_is_read_back_and_write_protected() {
    let (_home, store) = store();
    let digest = store.put(b"the artifact").unwrap();
    assert_eq!(&*store.get(&digest).unwrap(), b"the artifact");
    assert_eq!(fs::metadata(store.path_of(&digest)).unwrap().mode() & 0o7777, 0o444);
    assert_eq!(store.put(b"the artifact").unwrap(), digest);
    assert!(matches!(store.get(&Sha256Digest::of(b"other")), Err(ObjectError::Missing { .. })));
    assert!(store.remove(&digest).unwrap() && !store.remove(&digest).unwrap());
}

#[test]
fn i01_an_object_with_other_bytes_is_refused() {
    let (_home, store, digest, path) = emptied();
    fs::write(&path, b"the artifacT").unwrap();
    let refused = store.get(&digest).unwrap_err();
    assert!(matches!(refused, ObjectError::Changed { .. }) && refused.is_tampering(), "{refused}");
    fs::write(&path, b"the artifact and more").unwrap();
    assert!(matches!(store.get(&digest), Err(ObjectError::Changed { .. })));
}

#[test]
fn i02_a_symbolic_link_is_refused_even_to_the_right_bytes() {
    let (home, store, digest, path) = emptied();
    fs::write(home.path().join("right"), b"the artifact").unwrap();
    symlink(home.path().join("right"), &path).unwrap();
    assert!(matches!(store.get(&digest), Err(ObjectError::NotAFile { found: "symbolic link", .. })));
}

#[test]
fn i02_a_folder_that_became_a_link_is_refused() {
    let (home, store) = store();
    let digest = store.put(b"the artifact").unwrap();
    let folder = store.path_of(&digest).parent().unwrap().to_owned();
    fs::rename(&folder, home.path().join("moved")).unwrap();
    symlink(home.path().join("moved"), &folder).unwrap();
    assert!(matches!(store.get(&digest), Err(ObjectError::NotAFile { .. })));
}

#[test]
fn i02_a_fifo_is_refused_without_waiting_for_a_writer() {
    let (_home, store, digest, path) = emptied();
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o444.into(), 0).unwrap();
    assert!(matches!(store.get(&digest), Err(ObjectError::NotAFile { found: "FIFO", .. })));
}

#[test]
fn i02_a_device_is_refused_without_opening_it() {
    let (_home, store, digest, path) = emptied();
    let null = rustix::fs::makedev(1, 3);
    let kind = rustix::fs::FileType::CharacterDevice;
    match rustix::fs::mknodat(rustix::fs::CWD, &path, kind, 0o444.into(), null) {
        Ok(()) => {
            assert!(matches!(
                store.get(&digest),
                Err(ObjectError::NotAFile { found: "character device", .. })
            ));
        }
        // Only root can create a device; the same check rejects a FIFO.
        Err(error) => assert_eq!(error, rustix::io::Errno::PERM),
    }
}

#[test]
fn i02_a_directory_is_refused_and_can_be_written_over() {
    let (_home, store, digest, path) = emptied();
    fs::create_dir(&path).unwrap();
    assert!(matches!(store.get(&digest), Err(ObjectError::NotAFile { found: "directory", .. })));
    store.put(b"the artifact").unwrap();
    assert_eq!(&*store.get(&digest).unwrap(), b"the artifact");
}

#[test]
fn i02_a_hard_link_is_refused() {
    let (home, store) = store();
    let digest = store.put(b"the artifact").unwrap();
    fs::hard_link(store.path_of(&digest), home.path().join("second name")).unwrap();
    assert!(matches!(store.get(&digest), Err(ObjectError::Linked { links: 2, .. })));
}

#[test]
fn i08_a_full_disk_is_a_typed_error_and_loses_nothing() {
    let (_home, store) = store();
    let kept = store.put(b"kept").unwrap();
    for n in 1.. {
        let stopped = palyra_common::fs::fault::stop_at(n, || store.put(b"does not fit"));
        if stopped.at.is_none() {
            assert!(n > 4, "only {n} operations were seen");
            stopped.result.unwrap();
            break;
        }
        let error = stopped.result.unwrap_err();
        assert!(matches!(error, ObjectError::Io { .. }) && !error.is_tampering(), "{error}");
        assert_eq!(&*store.get(&kept).unwrap(), b"kept");
    }
}

#[test]
fn i08_a_directory_that_cannot_be_written_is_a_typed_error() {
    let (home, store) = store();
    let kept = store.put(b"kept").unwrap();
    let objects = home.path().join("objects");
    fs::set_permissions(&objects, fs::Permissions::from_mode(0o500)).unwrap();
    // Root can write anyway, and then there is no error to check.
    if let Err(error) = store.put(b"a new folder is needed for this") {
        assert!(matches!(error, ObjectError::Io { .. }), "{error}");
        assert!(!error.hint().is_empty());
    }
    fs::set_permissions(&objects, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(&*store.get(&kept).unwrap(), b"kept");
}

#[test]
fn what_an_interrupted_write_left_is_swept() {
    let (_home, store) = store();
    let kept = store.put(b"kept").unwrap();
    let orphan = store.put(b"orphan").unwrap();
    let leftover = store.path_of(&kept).with_file_name(".new-0011");
    fs::write(&leftover, b"half").unwrap();
    assert_eq!(store.sweep(&|digest| *digest == kept).unwrap(), 2);
    assert!(!leftover.exists());
    assert!(store.get(&kept).is_ok() && matches!(store.get(&orphan), Err(ObjectError::Missing { .. })));
}

use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

const LIMIT: u64 = 64;

fn directory() -> (tempfile::TempDir, Directory) {
    let home = tempfile::tempdir().unwrap();
    let directory = Directory::create_private(&home.path().join("a/root")).unwrap();
    (home, directory)
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// Returns the error's text without the directory's path.
fn refusal<T: std::fmt::Debug>(directory: &Directory, outcome: Result<T, FsError>) -> String {
    outcome.unwrap_err().to_string().replace(&*directory.path().to_string_lossy(), "DIR")
}

#[test]
fn files_are_private_and_whole() {
    let (_home, directory) = directory();
    assert_eq!(directory.read("x", LIMIT).unwrap(), None);
    directory.write("x", b"one").unwrap();
    directory.write("x", b"two").unwrap();
    assert_eq!(directory.read("x", LIMIT).unwrap().unwrap(), b"two");
    assert_eq!((mode(directory.path()), mode(&directory.path().join("x"))), (0o700, 0o600));
    assert_eq!(directory.names().unwrap(), ["x"]);
    assert!(directory.remove("x").unwrap());
    assert!(!directory.remove("x").unwrap());
    assert!(directory.names().unwrap().is_empty());
}

#[test]
fn a_new_file_replaces_nothing() {
    let (_home, directory) = directory();
    directory.write_new("x", b"one").unwrap();
    assert_eq!(refusal(&directory, directory.write_new("x", b"two")), "`DIR/x` already exists");
    assert_eq!(directory.read("x", LIMIT).unwrap().unwrap(), b"one");
    assert_eq!(directory.entries().unwrap(), ["x"]);
}

#[test]
fn what_is_not_a_private_file_is_refused() {
    let (_home, directory) = directory();
    let at = |name: &str| directory.path().join(name);
    let read = |name: &str| refusal(&directory, directory.read(name, LIMIT));
    directory.write("real", b"text").unwrap();
    for open in [0o640, 0o604, 0o620, 0o660] {
        set_mode(&at("real"), open);
        assert_eq!(
            read("real"),
            format!("`DIR/real` is accessible to other users: mode {open:04o}, expected 0600")
        );
    }
    set_mode(&at("real"), 0o600);
    symlink(at("real"), at("link")).unwrap();
    assert_eq!(read("link"), "`DIR/link` is a symbolic link, not a regular file");
    std::fs::hard_link(at("real"), at("twin")).unwrap();
    assert_eq!(read("real"), "`DIR/real` has 2 names (hard links), expected 1");
    std::fs::create_dir(at("folder")).unwrap();
    assert_eq!(read("folder"), "`DIR/folder` is a directory, not a regular file");
    rustix::fs::mknodat(&directory.handle, "fifo", rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .unwrap();
    assert_eq!(read("fifo"), "`DIR/fifo` is a FIFO, not a regular file");
    directory.write("large", &[0; 65]).unwrap();
    assert_eq!(read("large"), "`DIR/large` has 65 bytes, the limit is 64");
}

#[test]
fn names_are_single_entries() {
    let (_home, directory) = directory();
    for name in ["", ".", "..", "a/b", "/etc/passwd", "../x", "a\0b", &"x".repeat(256)] {
        assert!(matches!(directory.read(name, LIMIT), Err(FsError::BadName { .. })), "{name:?}");
        assert!(matches!(directory.write(name, b""), Err(FsError::BadName { .. })), "{name:?}");
        assert!(matches!(directory.remove(name), Err(FsError::BadName { .. })), "{name:?}");
    }
}

#[test]
fn a_directory_open_to_others_or_linked_is_refused() {
    let (home, directory) = directory();
    let linked = home.path().join("linked");
    symlink(directory.path(), &linked).unwrap();
    assert!(matches!(Directory::open_private(&linked), Err(FsError::NotADirectory { .. })));
    set_mode(directory.path(), 0o750);
    let refused = Directory::open_private(directory.path());
    assert_eq!(
        refused.as_ref().unwrap_err().hint(),
        Some(format!("chmod 700 {}", directory.path().display()))
    );
    assert_eq!(refusal(&directory, refused), "`DIR` is accessible to other users: mode 0750, expected 0700");
    assert!(Directory::open_private(&home.path().join("none")).unwrap_err().is_not_found());
}

#[test]
fn directories_nest() {
    let (_home, directory) = directory();
    let inner = directory.create_private_in("inner").unwrap();
    inner.write("x", b"1").unwrap();
    assert_eq!(directory.open_private_in("inner").unwrap().read("x", LIMIT).unwrap().unwrap(), b"1");
    directory.create_private_in("inner").unwrap();
    symlink(inner.path(), directory.path().join("link")).unwrap();
    assert!(matches!(directory.open_private_in("link"), Err(FsError::NotADirectory { .. })));
}

#[test]
fn leftovers_are_hidden_and_swept() {
    let (_home, directory) = directory();
    directory.write("x", b"1").unwrap();
    std::fs::write(directory.path().join(".tmp-1-1"), "half").unwrap();
    assert_eq!(directory.names().unwrap(), ["x"]);
    assert_eq!(directory.sweep().unwrap(), 1);
    assert_eq!(directory.entries().unwrap(), ["x"]);
}

#[cfg(feature = "fault-injection")]
#[test]
fn stopped_anywhere_there_is_the_old_file_or_the_new_one() {
    let (_home, directory) = directory();
    directory.write("x", b"old").unwrap();
    let mut points = Vec::new();
    for n in 1.. {
        let stopped = fault::stop_at(n, || directory.write("x", b"new"));
        let found = directory.read("x", LIMIT).unwrap().unwrap();
        assert_eq!(directory.names().unwrap(), ["x"]);
        match stopped.at {
            Some(at) => {
                stopped.result.unwrap_err();
                assert_eq!(found, if at == "fsync directory" { b"new" } else { b"old" });
                points.push(at);
            }
            None => {
                stopped.result.unwrap();
                break;
            }
        }
        directory.write("x", b"old").unwrap();
    }
    assert_eq!(points, ["create", "write", "fsync", "rename", "fsync directory"]);
    assert!(directory.sweep().unwrap() > 0);
}

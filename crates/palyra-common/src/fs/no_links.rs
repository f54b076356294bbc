//! Opens files by paths none of whose parts is a symbolic link.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

/// Flags for opening a directory only to open an entry of it, for which read permission is not required.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;

/// Opens a file for reading and appending, and creates it with mode 0600 if missing.
///
/// Each directory of the absolute path is opened relative to the previous one without following links, so a directory
/// that is replaced with a link after a check is not followed.
///
/// # Errors
/// The path is not absolute, contains `..`, or has a link, a FIFO or a directory in place of a file.
pub fn open_append_without_links(path: &Path) -> io::Result<File> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
    let (Some(parent), Some(name), true) = (path.parent(), path.file_name(), path.is_absolute()) else {
        return Err(invalid(format!("`{}` is not the absolute path of a file", path.display())));
    };
    let directory_flags = SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut directory: OwnedFd = rustix::fs::open("/", directory_flags, Mode::empty())?;
    for part in parent.components() {
        let part = match part {
            Component::RootDir => continue,
            Component::Normal(part) => part,
            _ => return Err(invalid(format!("`{}` contains `..`", path.display()))),
        };
        directory = rustix::fs::openat(&directory, part, directory_flags, Mode::empty()).map_err(
            |error| match error {
                Errno::LOOP | Errno::NOTDIR => {
                    let part = Path::new(part).display();
                    invalid(format!("`{part}` in `{}` is a link or a file, not a directory", path.display()))
                }
                error => error.into(),
            },
        )?;
    }
    // Non-blocking, so that a FIFO is refused instead of waited for.
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mode = Mode::RUSR | Mode::WUSR;
    let file = File::from(rustix::fs::openat(&directory, name, flags | OFlags::CLOEXEC, mode)?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(invalid(format!("`{}` is not a regular file", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    #[test]
    fn file_below_a_link_is_not_opened() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("real/inner")).unwrap();
        fs::create_dir(home.join("secret")).unwrap();
        let path = home.join("real/inner/out.jsonl");
        open_append_without_links(&path).unwrap().write_all(b"1").unwrap();
        open_append_without_links(&path).unwrap().write_all(b"2").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"12");
        // The folder is replaced by a link, then the folder above it, then the file.
        fs::rename(home.join("real/inner"), home.join("inner")).unwrap();
        symlink(home.join("secret"), home.join("real/inner")).unwrap();
        open_append_without_links(&path).unwrap_err();
        fs::rename(home.join("real"), home.join("aside")).unwrap();
        symlink(home.join("secret"), home.join("real")).unwrap();
        fs::create_dir(home.join("secret/inner")).unwrap();
        open_append_without_links(&path).unwrap_err();
        symlink(home.join("inner/out.jsonl"), home.join("link.jsonl")).unwrap();
        open_append_without_links(&home.join("link.jsonl")).unwrap_err();
        assert_eq!(fs::read_dir(home.join("secret/inner")).unwrap().count(), 0);
    }

    #[test]
    fn path_that_is_not_plain_is_refused() {
        for path in ["out.jsonl", "/", "/tmp/../tmp/out.jsonl", "/dev/null"] {
            open_append_without_links(Path::new(path)).unwrap_err();
        }
    }
}

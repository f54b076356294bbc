//! Paths that fit into the address of a Unix socket, which has about a hundred bytes.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Maximum length of a path that is used unchanged, in bytes.
const LONGEST: usize = 100;

/// A path to an entry of a directory, via an open handle if the path itself is too long.
///
/// Valid only in this process and as long as this value exists.
pub struct ShortPath {
    path: PathBuf,
    _directory: Option<File>,
}

impl ShortPath {
    /// Returns a path to the same entry that is short enough.
    pub fn of(path: &Path) -> io::Result<Self> {
        if path.as_os_str().len() <= LONGEST {
            return Ok(Self { path: path.to_owned(), _directory: None });
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let directory = File::open(parent)?;
        let short = Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name);
        Ok(Self { path: short, _directory: Some(directory) })
    }

    /// Returns the path, which must not outlive this value.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::os::unix::net::{UnixListener, UnixStream};

    #[test]
    fn a_socket_can_be_made_and_found_however_long_its_path_is() {
        let home = tempfile::tempdir().unwrap();
        let long = home.path().join("x".repeat(90)).join("y".repeat(90));
        std::fs::create_dir_all(&long).unwrap();
        for folder in [home.path().to_owned(), long] {
            let socket = folder.join("a.sock");
            let _listener = UnixListener::bind(ShortPath::of(&socket).unwrap().path()).unwrap();
            UnixStream::connect(ShortPath::of(&socket).unwrap().path()).unwrap();
            assert!(socket.exists());
        }
    }
}

//! Paths that are short enough for a socket, whose address holds about a hundred bytes.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Longest path that goes into the address of a socket as it is.
const LONGEST: usize = 100;

/// A path to an entry of a directory, by way of an open handle where the path itself is too long.
///
/// It is valid as long as this value lives, in this process only.
pub struct ShortPath {
    path: PathBuf,
    _directory: Option<File>,
}

impl ShortPath {
    /// The same place under a name that is short enough.
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

    /// The path.
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

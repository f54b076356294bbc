//! Uploaded packages: each is written to an unnamed file in the state root, so that an interrupted upload leaves
//! nothing, and only few are in memory at once.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;

/// Maximum number of packages that are being uploaded.
const MAX_COMING: usize = 8;
/// Maximum number of packages in memory.
const MAX_READ: usize = 2;
/// Maximum number of chunks that wait to be written.
const WAITING_CHUNKS: usize = 4;

/// Limits the number of packages that arrive, and of those in memory.
pub(crate) struct Uploads {
    coming: Arc<Semaphore>,
    read: Arc<Semaphore>,
}

/// A package that is being uploaded.
pub(crate) struct Coming {
    chunks: mpsc::Sender<Bytes>,
    writing: JoinHandle<io::Result<File>>,
    length: u64,
    permit: OwnedSemaphorePermit,
}

/// A completely uploaded package.
pub(crate) struct Spooled {
    file: File,
    length: u64,
    _permit: OwnedSemaphorePermit,
}

impl Default for Uploads {
    fn default() -> Self {
        Self { coming: Arc::new(Semaphore::new(MAX_COMING)), read: Arc::new(Semaphore::new(MAX_READ)) }
    }
}

impl Uploads {
    /// Starts spooling a package below a directory; returns `None` if too many are arriving.
    pub(crate) fn begin(&self, folder: &Path) -> Option<Coming> {
        let permit = Arc::clone(&self.coming).try_acquire_owned().ok()?;
        let (chunks, receiver) = mpsc::channel(WAITING_CHUNKS);
        let folder = folder.to_owned();
        let writing = tokio::task::spawn_blocking(move || write(&folder, receiver));
        Some(Coming { chunks, writing, length: 0, permit })
    }

    /// Waits until another package may be read into memory.
    pub(crate) async fn may_read(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.read).acquire_owned().await.ok()
    }
}

impl Coming {
    /// Returns the number of bytes received.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Writes the next chunk; a write error is reported at the end.
    pub(crate) async fn take(&mut self, chunk: Bytes) {
        self.length = self.length.saturating_add(chunk.len() as u64);
        let _ = self.chunks.send(chunk).await;
    }

    /// Completes the package after its last part.
    pub(crate) async fn end(self) -> io::Result<Spooled> {
        let Self { chunks, writing, length, permit } = self;
        drop(chunks);
        let file = writing.await.map_err(io::Error::other)??;
        Ok(Spooled { file, length, _permit: permit })
    }
}

impl Spooled {
    /// Returns the memory it takes in bytes.
    pub(crate) fn length(&self) -> usize {
        usize::try_from(self.length).unwrap_or(usize::MAX)
    }

    /// Reads the package into memory.
    pub(crate) fn read(mut self) -> io::Result<Arc<[u8]>> {
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, self.length()).collect();
        self.file.rewind()?;
        if let Some(bytes) = Arc::get_mut(&mut bytes) {
            self.file.read_exact(bytes)?;
        }
        Ok(bytes)
    }
}

fn write(folder: &Path, mut chunks: mpsc::Receiver<Bytes>) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(folder)?;
    while let Some(chunk) = chunks.blocking_recv() {
        file.write_all(&chunk)?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_comes_is_read_once_and_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let uploads = Uploads::default();
        let mut coming = uploads.begin(folder.path()).unwrap();
        for part in 0..100_u8 {
            coming.take(Bytes::from(vec![part; 10_000])).await;
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        assert_eq!(coming.length(), 1_000_000);
        let bytes = coming.end().await.unwrap().read().unwrap();
        assert_eq!((bytes.len(), bytes[0], bytes[999_999]), (1_000_000, 0, 99));
    }

    #[tokio::test]
    async fn only_so_many_come_at_once_and_a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let uploads = Uploads::default();
        let coming: Vec<Coming> = (0..MAX_COMING).filter_map(|_| uploads.begin(folder.path())).collect();
        assert_eq!(coming.len(), MAX_COMING);
        assert!(uploads.begin(folder.path()).is_none());
        drop(coming);
        let mut lost = uploads.begin(&folder.path().join("none")).unwrap();
        lost.take(Bytes::from_static(b"x")).await;
        assert!(lost.end().await.is_err());
    }
}

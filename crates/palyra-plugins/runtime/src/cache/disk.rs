//! The disk cache of compiled code: header ‖ code ‖ MAC. An invalid file is reported, ignored and replaced.

use crate::compiled::{CodeBuffer, TrustedCode};
use crate::engine::{code_config, engine_fingerprint};
use crate::module::ModuleKind;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use subtle::ConstantTimeEq;

const MAGIC: &[u8; 8] = b"PLYRCOD1";
const MAC_BYTES: usize = 32;
/// Size of magic, kind, module digest, fingerprint digest and length.
const HEADER_BYTES: usize = 8 + 1 + 32 + 32 + 8;
/// Maximum size of the code in a file, in bytes.
const MAX_CODE_BYTES: u64 = 1 << 30;
/// Size of a chunk, small enough that the allocator reuses the same memory.
const CHUNK: usize = 64 << 10;
/// Maximum number of chunks that wait to be written.
const CHUNKS_AHEAD: usize = 8;

/// The directory of compiled code, with its key.
#[derive(Clone)]
pub struct DiskCacheConfig {
    /// A directory with mode 0700. Created if missing.
    pub directory: PathBuf,
    /// The key of the MAC. Must not be stored in the directory.
    pub key: [u8; 32],
    /// Called for rejected files.
    pub on_event: Option<Arc<dyn Fn(CacheEvent) + Send + Sync>>,
}

/// A warning about a cache file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEvent {
    /// The reason for the warning.
    pub kind: CacheEventKind,
    /// The name of the file in the cache directory.
    pub file: String,
    /// Details of the problem, as text.
    pub detail: String,
}

/// The problem of a cache file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheEventKind {
    /// The file is a link, a device, owned by another user, or has a second hard link.
    NotAPlainFile,
    /// The header belongs to another module, engine or format.
    WrongHeader,
    /// The MAC is invalid: the file was changed, truncated, or created with another key.
    WrongMac,
    /// The file could not be read or written.
    Unusable,
}

/// An open cache directory.
pub(crate) struct DiskCache {
    config: DiskCacheConfig,
    fingerprint: [u8; 32],
}

impl DiskCache {
    pub(crate) fn open(config: DiskCacheConfig, engine_fingerprint: &str) -> io::Result<Self> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&config.directory)?;
        let metadata = std::fs::symlink_metadata(&config.directory)?;
        if !metadata.is_dir()
            || metadata.mode() & 0o077 != 0
            || metadata.uid() != rustix::process::geteuid().as_raw()
        {
            return Err(io::Error::other(
                "the cache directory must be a directory of this user with mode \
                0700",
            ));
        }
        Ok(Self { config, fingerprint: digest_of(engine_fingerprint) })
    }

    /// Returns whether a file for the module exists. Its contents are verified only when it is loaded.
    pub(crate) fn has(&self, module_sha256: &[u8; 32]) -> bool {
        self.path(module_sha256).is_file()
    }

    /// Returns the code of a module if a file for it exists and its MAC is valid.
    pub(crate) fn load(&self, module_sha256: &[u8; 32], kind: ModuleKind) -> Option<TrustedCode> {
        let path = self.path(module_sha256);
        match self.read_checked(&path, &self.header(module_sha256, kind)) {
            Ok(code) => code,
            Err(rejection) => {
                self.report(&path, rejection);
                None
            }
        }
    }

    /// Stores code. A failure is reported and has no other effect.
    pub(crate) fn store(&self, module_sha256: &[u8; 32], kind: ModuleKind, code: &[u8]) {
        let path = self.path(module_sha256);
        if let Err(error) = self.write(&path, module_sha256, kind, code) {
            self.report(&path, Rejection { kind: CacheEventKind::Unusable, detail: error.to_string() });
        }
    }

    fn read_checked(&self, path: &Path, header: &[u8]) -> Result<Option<TrustedCode>, Rejection> {
        let Some(mut file) = open_plain_file(path)? else { return Ok(None) };
        let length = file.metadata().map_err(unusable)?.len();
        let code_bytes =
            length.checked_sub((HEADER_BYTES + MAC_BYTES) as u64).filter(|n| *n <= MAX_CODE_BYTES);
        let Some(code_bytes) = code_bytes else {
            return Err(wrong(CacheEventKind::WrongHeader, "its length"));
        };
        let mut found = [0; HEADER_BYTES];
        file.read_exact(&mut found).map_err(unusable)?;
        let (fixed, stated) = found.split_at(HEADER_BYTES - 8);
        if fixed != header || stated != code_bytes.to_le_bytes() {
            return Err(wrong(CacheEventKind::WrongHeader, "another module, engine or format"));
        }
        let mut mac = self.mac();
        mac.update(&found);
        let mut buffer = CodeBuffer::new().map_err(unusable)?;
        copy_hashing(&mut file, code_bytes, &mut mac, &mut buffer).map_err(unusable)?;
        let mut stated_mac = [0; MAC_BYTES];
        file.read_exact(&mut stated_mac).map_err(unusable)?;
        if !bool::from(mac.finalize().as_bytes().ct_eq(&stated_mac)) {
            return Err(wrong(CacheEventKind::WrongMac, "changed, truncated or created under another key"));
        }
        buffer.seal_checked().map(Some).map_err(unusable)
    }

    fn write(&self, path: &Path, module_sha256: &[u8; 32], kind: ModuleKind, code: &[u8]) -> io::Result<()> {
        let mut header = self.header(module_sha256, kind);
        header.extend_from_slice(&(code.len() as u64).to_le_bytes());
        let mut mac = self.mac();
        mac.update(&header).update(code);
        let mut file = tempfile::NamedTempFile::new_in(&self.config.directory)?;
        file.write_all(&header)?;
        file.write_all(code)?;
        file.write_all(mac.finalize().as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn header(&self, module_sha256: &[u8; 32], kind: ModuleKind) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(MAGIC);
        header.push(match kind {
            ModuleKind::Component => b'c',
            ModuleKind::Core => b'm',
        });
        header.extend_from_slice(module_sha256);
        header.extend_from_slice(&self.fingerprint);
        header
    }

    fn mac(&self) -> blake3::Hasher {
        blake3::Hasher::new_keyed(&self.config.key)
    }

    fn path(&self, module_sha256: &[u8; 32]) -> PathBuf {
        self.config.directory.join(file_name(module_sha256, &self.fingerprint))
    }

    fn report(&self, path: &Path, rejection: Rejection) {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        tracing::warn!(file, kind = ?rejection.kind, detail = rejection.detail, "compiled code rejected");
        if let Some(on_event) = &self.config.on_event {
            on_event(CacheEvent { kind: rejection.kind, file, detail: rejection.detail });
        }
    }
}

fn digest_of(engine_fingerprint: &str) -> [u8; 32] {
    *blake3::hash(engine_fingerprint.as_bytes()).as_bytes()
}

fn file_name(module_sha256: &[u8; 32], fingerprint: &[u8; 32]) -> String {
    format!("{}-{}.code", hex::encode(module_sha256), hex::encode(&fingerprint[..8]))
}

/// Returns whether a directory has code for a module that this build's engine accepts, without creating a runtime.
pub fn has_code_on_disk(directory: &Path, module_sha256: &[u8; 32]) -> bool {
    static FINGERPRINT: OnceLock<Option<[u8; 32]>> = OnceLock::new();
    let fingerprint = FINGERPRINT.get_or_init(|| {
        let engine = wasmtime::Engine::new(&code_config()).ok()?;
        Some(digest_of(&engine_fingerprint(&engine)))
    });
    fingerprint.is_some_and(|fingerprint| directory.join(file_name(module_sha256, &fingerprint)).is_file())
}

struct Rejection {
    kind: CacheEventKind,
    detail: String,
}

fn unusable(error: impl ToString) -> Rejection {
    Rejection { kind: CacheEventKind::Unusable, detail: error.to_string() }
}

fn wrong(kind: CacheEventKind, detail: &str) -> Rejection {
    Rejection { kind, detail: detail.into() }
}

/// Opens a file without following links or waiting for a FIFO, and accepts only regular files of this user.
fn open_plain_file(path: &Path) -> Result<Option<File>, Rejection> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return Err(wrong(CacheEventKind::NotAPlainFile, "a symbolic link")),
        Err(error) => return Err(unusable(error)),
    };
    let metadata = file.metadata().map_err(unusable)?;
    let ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_file() || metadata.nlink() != 1 || !ours || metadata.mode() & 0o022 != 0 {
        return Err(wrong(
            CacheEventKind::NotAPlainFile,
            "not a regular file with one link that only this user can write",
        ));
    }
    Ok(Some(file))
}

/// Copies the rest of a file. One thread reads and hashes while another fills the buffer.
fn copy_hashing(
    file: &mut File,
    mut left: u64,
    mac: &mut blake3::Hasher,
    buffer: &mut CodeBuffer,
) -> io::Result<()> {
    let (chunks, filled) = std::sync::mpsc::sync_channel::<Vec<u8>>(CHUNKS_AHEAD);
    std::thread::scope(|threads| {
        let writer = threads.spawn(move || filled.into_iter().try_for_each(|chunk| buffer.write(&chunk)));
        while left > 0 {
            let want = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let mut chunk = vec![0; want];
            file.read_exact(&mut chunk)?;
            mac.update(&chunk);
            left -= want as u64;
            // If the writer ended early, joining it below returns its error.
            if chunks.send(chunk).is_err() {
                break;
            }
        }
        drop(chunks);
        writer.join().map_err(|_| io::Error::other("the writing thread ended early"))?
    })
}

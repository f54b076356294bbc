//! File access of a run: separate steps, and denials of paths outside of the grants.

use super::{HostFailure, RunContext};
use palyra_common::capabilities::{FilesystemGrant, RootName};
use palyra_common::text::clip_untrusted;
use palyra_common::{CapabilityKind, Denial};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// Maximum length of a path in a trace or message, in characters. The tape contains the whole path.
const SHOWN_CHARS: usize = 256;

/// An error of the file system, by its name on the tape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FileErrorCode(pub(crate) ErrorCode);

/// The names of errors, which are part of the tape format.
const NAMES: [(ErrorCode, &str); 37] = [
    (ErrorCode::Access, "access"),
    (ErrorCode::WouldBlock, "would_block"),
    (ErrorCode::Already, "already"),
    (ErrorCode::BadDescriptor, "bad_descriptor"),
    (ErrorCode::Busy, "busy"),
    (ErrorCode::Deadlock, "deadlock"),
    (ErrorCode::Quota, "quota"),
    (ErrorCode::Exist, "exist"),
    (ErrorCode::FileTooLarge, "file_too_large"),
    (ErrorCode::IllegalByteSequence, "illegal_byte_sequence"),
    (ErrorCode::InProgress, "in_progress"),
    (ErrorCode::Interrupted, "interrupted"),
    (ErrorCode::Invalid, "invalid"),
    (ErrorCode::Io, "io"),
    (ErrorCode::IsDirectory, "is_directory"),
    (ErrorCode::Loop, "loop"),
    (ErrorCode::TooManyLinks, "too_many_links"),
    (ErrorCode::MessageSize, "message_size"),
    (ErrorCode::NameTooLong, "name_too_long"),
    (ErrorCode::NoDevice, "no_device"),
    (ErrorCode::NoEntry, "no_entry"),
    (ErrorCode::NoLock, "no_lock"),
    (ErrorCode::InsufficientMemory, "insufficient_memory"),
    (ErrorCode::InsufficientSpace, "insufficient_space"),
    (ErrorCode::NotDirectory, "not_directory"),
    (ErrorCode::NotEmpty, "not_empty"),
    (ErrorCode::NotRecoverable, "not_recoverable"),
    (ErrorCode::Unsupported, "unsupported"),
    (ErrorCode::NoTty, "no_tty"),
    (ErrorCode::NoSuchDevice, "no_such_device"),
    (ErrorCode::Overflow, "overflow"),
    (ErrorCode::NotPermitted, "not_permitted"),
    (ErrorCode::Pipe, "pipe"),
    (ErrorCode::ReadOnly, "read_only"),
    (ErrorCode::InvalidSeek, "invalid_seek"),
    (ErrorCode::TextFileBusy, "text_file_busy"),
    (ErrorCode::CrossDevice, "cross_device"),
];

impl FileErrorCode {
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(code, _)| *code == self.0).map_or("io", |(_, name)| *name)
    }
}

impl Serialize for FileErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for FileErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = NAMES.iter().find(|(_, known)| *known == name);
        known
            .map(|(code, _)| Self(*code))
            .ok_or_else(|| serde::de::Error::custom("no error of a file system"))
    }
}

/// The directions of an open file that have been counted.
#[derive(Debug, Default)]
pub(crate) struct FileUse {
    pub(crate) read: AtomicBool,
    pub(crate) written: AtomicBool,
}

impl RunContext {
    /// Makes a counted file operation: opening, listing, changing.
    pub(crate) async fn file_step<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        path: &str,
        request: Value,
        live: impl Future<Output = Result<T, HostFailure>>,
    ) -> Result<T, HostFailure> {
        self.check_files()?;
        self.step(op, shown(path), request, live).await
    }

    /// Like `file_step`, for a result that is available at once.
    pub(crate) fn file_step_now<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        path: &str,
        request: Value,
        live: impl FnOnce() -> Result<T, HostFailure>,
    ) -> Result<T, HostFailure> {
        self.check_files()?;
        let step = self.count(op, shown(path))?;
        let answer = self.taped_now(op, request, live);
        self.note(step, answer)
    }

    /// Makes a file operation that is on the tape but not counted, such as a stat.
    pub(crate) async fn observe_file<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        request: Value,
        live: impl Future<Output = Result<T, HostFailure>>,
    ) -> Result<T, HostFailure> {
        self.check_files()?;
        self.taped(op, request, live).await
    }

    /// Transfers a piece into or out of an open file; the first one in each direction is a counted step.
    pub(crate) async fn transfer<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        path: &str,
        counted: &AtomicBool,
        request: Value,
        live: impl Future<Output = Result<T, HostFailure>>,
    ) -> Result<T, HostFailure> {
        if !counted.swap(true, Ordering::Relaxed) {
            return self.file_step(op, path, request, live).await;
        }
        let answer = self.observe_file(op, request, live).await;
        self.remember_violation(&answer);
        answer
    }

    /// Like `transfer`, for a result that is available at once.
    pub(crate) fn transfer_now<T: Serialize + DeserializeOwned>(
        &self,
        op: &'static str,
        path: &str,
        counted: &AtomicBool,
        request: Value,
        live: impl FnOnce() -> Result<T, HostFailure>,
    ) -> Result<T, HostFailure> {
        if !counted.swap(true, Ordering::Relaxed) {
            return self.file_step_now(op, path, request, live);
        }
        self.check_files()?;
        let answer = self.taped_now(op, request, live);
        self.remember_violation(&answer);
        answer
    }

    /// Denies a read of file bytes that contain a guarded secret.
    pub(crate) fn check_file_bytes(&self, bytes: &[u8]) -> Result<(), HostFailure> {
        match self.secrets.found_in(bytes) {
            None => Ok(()),
            Some(secret) => Err(HostFailure::Denied(Denial {
                kind: CapabilityKind::Secret,
                subject: secret.to_string(),
                reason: "a file the guest reads holds its value".into(),
                grant: None,
                manifest: None,
            })),
        }
    }

    /// Stops a replay of a version 1 tape, which records no file operations.
    fn check_files(&self) -> Result<(), HostFailure> {
        if self.tapes_files {
            return Ok(());
        }
        self.changing().tape.stop_at_files();
        Err(HostFailure::Stopped)
    }
}

/// Returns a path for messages: clipped and escaped.
pub(crate) fn shown(path: &str) -> String {
    clip_untrusted(path, SHOWN_CHARS)
}

/// Returns the denial for a path in no granted root.
pub(crate) fn denied_open(path: &str, writes: bool) -> Denial {
    let root = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let name: Option<RootName> = root.parse().ok();
    let (kind, word) = if writes { ("fs-write", "write_roots") } else { ("fs-read", "read_roots") };
    let reason = match &name {
        Some(name) => format!("the run has no directory `/{name}`"),
        None => "only granted roots lie below `/`, and a root is named `[a-z0-9-]+`".to_owned(),
    };
    Denial {
        kind: CapabilityKind::Filesystem,
        subject: shown(path),
        reason,
        grant: name.as_ref().map(|name| format!("{kind}:{name}=DIRECTORY")),
        manifest: name.map(|name| format!("add `\"{name}\"` to `capabilities.filesystem.{word}`")),
    }
}

/// Returns the denial for a path that leaves its granted root.
pub(crate) fn denied_escape(path: &str) -> Denial {
    Denial {
        kind: CapabilityKind::Filesystem,
        subject: shown(path),
        reason: "the path leads out of the granted directory".into(),
        grant: None,
        manifest: None,
    }
}

/// Returns the denial for a write in a root that is granted for reading.
pub(crate) fn denied_write(grant: &FilesystemGrant, path: &str) -> Denial {
    let name = &grant.root;
    let directory = grant.directory().map_or("DIRECTORY".to_owned(), |path| path.display().to_string());
    Denial {
        kind: CapabilityKind::Filesystem,
        subject: shown(path),
        reason: format!("`/{name}` is granted for reading only"),
        grant: Some(format!("fs-write:{name}={directory}")),
        manifest: Some(format!("add `\"{name}\"` to `capabilities.filesystem.write_roots`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_back() {
        for (code, name) in NAMES {
            let text = serde_json::to_value(FileErrorCode(code)).unwrap();
            assert_eq!(text, name);
            assert_eq!(serde_json::from_value::<FileErrorCode>(text).unwrap(), FileErrorCode(code));
        }
    }

    #[test]
    fn a_denied_open_names_the_grant_for_its_root() {
        let grant = |path: &str, writes: bool| denied_open(path, writes).grant;
        assert_eq!(grant("/etc/passwd", false).as_deref(), Some("fs-read:etc=DIRECTORY"));
        assert_eq!(grant("/out/a.txt", true).as_deref(), Some("fs-write:out=DIRECTORY"));
        assert_eq!(grant("/A.txt", true), None);
    }
}

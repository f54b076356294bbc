//! Streams of files: bytes read are recorded on the tape, bytes written are compared with it.
//!
//! A step belongs to the call of the guest and not to the time at which bytes became ready, so a replay has the same
//! steps in the same order.

use crate::fault::ReplayStopped;
use crate::run_context::{Blob, FileErrorCode, FileUse, HostFailure, RunContext, taped_bytes};
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::json;
use std::io;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::{
    DynInputStream, DynOutputStream, InputStream, OutputStream, Pollable, StreamError, StreamResult,
};

/// A file error as reported by a stream; `filesystem-error-code` retrieves it again.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.name())]
pub(super) struct FileStreamError(pub(super) FileErrorCode);

/// The file that a stream belongs to.
pub(super) struct StreamOf {
    pub(super) run: Arc<RunContext>,
    pub(super) path: String,
    pub(super) uses: Arc<FileUse>,
}

/// Reads a file. The inner stream is missing in a replay.
pub(super) struct TapedInput {
    pub(super) of: StreamOf,
    pub(super) inner: Option<DynInputStream>,
}

/// Writes a file. The inner stream is missing in a replay.
pub(super) struct TapedOutput {
    pub(super) of: StreamOf,
    pub(super) inner: Option<DynOutputStream>,
}

const READ: &str = "fs.read";
const WRITE: &str = "fs.write";

/// The bytes of one read; `None` at the end of the file.
type Piece = Option<Blob>;

#[async_trait]
impl Pollable for TapedInput {
    async fn ready(&mut self) {
        if let Some(inner) = &mut self.inner {
            inner.ready().await;
        }
    }
}

#[async_trait]
impl InputStream for TapedInput {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        let Self { of, inner } = self;
        let request = json!({ "path": of.path, "bytes": size });
        let live = || piece(&of.run, inner.as_mut().ok_or_else(no_file)?.read(size));
        to_guest(of.run.transfer_now(READ, &of.path, &of.uses.read, request, live))
    }

    async fn blocking_read(&mut self, size: usize) -> StreamResult<Bytes> {
        let Self { of, inner } = self;
        let request = json!({ "path": of.path, "bytes": size });
        let live = async { piece(&of.run, inner.as_mut().ok_or_else(no_file)?.blocking_read(size).await) };
        to_guest(of.run.transfer(READ, &of.path, &of.uses.read, request, live).await)
    }

    async fn cancel(&mut self) {
        if let Some(inner) = &mut self.inner {
            inner.cancel().await;
        }
    }
}

#[async_trait]
impl Pollable for TapedOutput {
    async fn ready(&mut self) {
        if let Some(inner) = &mut self.inner {
            inner.ready().await;
        }
    }
}

#[async_trait]
impl OutputStream for TapedOutput {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let Self { of, inner } = self;
        of.run.check_no_secret(WRITE, "a file", &bytes).map_err(to_stream_error)?;
        let request = json!({ "path": of.path, "bytes": taped_bytes(&bytes) });
        let live = || inner.as_mut().ok_or_else(no_file)?.write(bytes).map_err(failure);
        of.run.transfer_now(WRITE, &of.path, &of.uses.written, request, live).map_err(to_stream_error)
    }

    async fn blocking_write_and_flush(&mut self, bytes: Bytes) -> StreamResult<()> {
        let Self { of, inner } = self;
        of.run.check_no_secret(WRITE, "a file", &bytes).map_err(to_stream_error)?;
        let request = json!({ "path": of.path, "bytes": taped_bytes(&bytes) });
        let live = async {
            inner.as_mut().ok_or_else(no_file)?.blocking_write_and_flush(bytes).await.map_err(failure)
        };
        of.run.transfer(WRITE, &of.path, &of.uses.written, request, live).await.map_err(to_stream_error)
    }

    fn flush(&mut self) -> StreamResult<()> {
        let Self { of, inner } = self;
        let live = || inner.as_mut().ok_or_else(no_file)?.flush().map_err(failure);
        let flushed = of.run.transfer_now("fs.flush", &of.path, &COUNTED, json!({ "path": of.path }), live);
        flushed.map_err(to_stream_error)
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        let Self { of, inner } = self;
        let live = || inner.as_mut().ok_or_else(no_file)?.check_write().map_err(failure);
        let writable =
            of.run.transfer_now("fs.check_write", &of.path, &COUNTED, json!({ "path": of.path }), live);
        writable.map_err(to_stream_error)
    }

    async fn cancel(&mut self) {
        if let Some(inner) = &mut self.inner {
            inner.cancel().await;
        }
    }
}

/// The flag passed for operations that are not counted: it is always set.
static COUNTED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(true);

fn piece(run: &RunContext, read: StreamResult<Bytes>) -> Result<Piece, HostFailure> {
    match read {
        Ok(bytes) => {
            run.check_file_bytes(&bytes)?;
            Ok(Some(Blob(bytes.to_vec())))
        }
        Err(StreamError::Closed) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

fn to_guest(read: Result<Piece, HostFailure>) -> StreamResult<Bytes> {
    match read {
        Ok(Some(Blob(bytes))) => Ok(bytes.into()),
        Ok(None) => Err(StreamError::Closed),
        Err(failure) => Err(to_stream_error(failure)),
    }
}

fn no_file() -> HostFailure {
    HostFailure::Unavailable("there is no file behind the stream".into())
}

/// Converts a stream error to a form that can be recorded on a tape.
fn failure(error: StreamError) -> HostFailure {
    match error {
        StreamError::Closed => HostFailure::File(FileErrorCode(ErrorCode::Pipe)),
        StreamError::LastOperationFailed(error) => {
            let code = error.downcast_ref::<io::Error>().map_or(ErrorCode::Io, ErrorCode::from);
            HostFailure::File(FileErrorCode(code))
        }
        StreamError::Trap(error) => HostFailure::Invalid(error.to_string()),
    }
}

/// Converts a failure to a stream error for the guest.
fn to_stream_error(failure: HostFailure) -> StreamError {
    let code = match failure {
        HostFailure::File(code) => code,
        HostFailure::Denied(_) => FileErrorCode(ErrorCode::NotPermitted),
        HostFailure::Quota { .. } => FileErrorCode(ErrorCode::Quota),
        HostFailure::Stopped => return StreamError::Trap(ReplayStopped.into()),
        HostFailure::Invalid(reason) | HostFailure::Unavailable(reason) => return StreamError::trap(&reason),
        HostFailure::TimedOut => FileErrorCode(ErrorCode::Io),
    };
    StreamError::LastOperationFailed(FileStreamError(code).into())
}

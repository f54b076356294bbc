//! Standard output and error: lines of the run's log.

use crate::run_context::RunContext;
use crate::run_log::LogLevel;
use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Longest line of a log entry; longer ones are split.
const MAX_LINE_BYTES: usize = 8 << 10;
/// Bytes a guest may write at once.
const WRITE_BYTES: usize = 64 << 10;

/// A stream that turns bytes into log lines. All handles of one stream write to the same line.
#[derive(Clone)]
pub(super) struct LogPipe(Arc<Mutex<Line>>);

/// The line that is being written.
struct Line {
    run: Arc<RunContext>,
    level: LogLevel,
    source: &'static str,
    bytes: Vec<u8>,
}

impl LogPipe {
    pub(super) fn new(run: &Arc<RunContext>, level: LogLevel, source: &'static str) -> Self {
        Self(Arc::new(Mutex::new(Line { run: Arc::clone(run), level, source, bytes: Vec::new() })))
    }

    fn push(&self, bytes: &[u8]) {
        let mut line = self.0.lock();
        for byte in bytes {
            if *byte == b'\n' || line.bytes.len() >= MAX_LINE_BYTES {
                line.flush();
            }
            if *byte != b'\n' {
                line.bytes.push(*byte);
            }
        }
    }
}

impl Line {
    fn flush(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.run.log(self.level, self.source, &String::from_utf8_lossy(&bytes));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.bytes.is_empty() {
            self.flush();
        }
    }
}

impl IsTerminal for LogPipe {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogPipe {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for LogPipe {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for LogPipe {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

impl AsyncWrite for LogPipe {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.push(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

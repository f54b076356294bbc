//! A stream that detects a peer that stops reading, and one that stops in the middle of a head.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::transport::connection_state::ConnectionState;

/// Fails a write if the peer takes no bytes for `write_timeout`, because a peer that never reads would keep its
/// response in memory. Marks the connection as stalled if the peer sent bytes and then stopped.
pub(super) struct WatchedStream<S> {
    stream: S,
    state: ConnectionState,
    /// True once the peer has sent a byte.
    has_bytes: bool,
    write_timeout: Duration,
    /// Timeout of the pending write.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WatchedStream<S> {
    pub(super) fn new(stream: S, state: ConnectionState, write_timeout: Duration) -> Self {
        Self { stream, state, has_bytes: false, write_timeout, waiting: None }
    }

    fn check<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let timeout = self.write_timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        std::task::ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read its responses")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.has_bytes = true;
        } else if read.is_pending() && self.has_bytes {
            self.state.set_stalled();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.check(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(closed, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test(start_paused = true)]
    async fn write_fails_when_the_peer_takes_nothing_in_time() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut ours = WatchedStream::new(ours, ConnectionState::default(), Duration::from_secs(30));
        ours.write_all(b"1234").await.unwrap();
        let (written, _) = tokio::join!(ours.write_all(b"5678"), async {
            tokio::time::sleep(Duration::from_secs(29)).await;
            theirs.read_exact(&mut [0; 4]).await
        });
        written.unwrap();
        let error = ours.write_all(b"9").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn peer_that_stops_after_some_bytes_is_stalled_and_a_silent_one_is_not() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let state = ConnectionState::default();
        let mut ours = WatchedStream::new(ours, state.clone(), Duration::from_secs(30));
        let mut buffer = [0; 64];
        assert!(futures::poll!(Box::pin(ours.read(&mut buffer))).is_pending());
        assert!(!state.is_stalled());
        theirs.write_all(b"GET /").await.unwrap();
        assert_eq!(ours.read(&mut buffer).await.unwrap(), 5);
        assert!(!state.is_stalled());
        assert!(futures::poll!(Box::pin(ours.read(&mut buffer))).is_pending());
        assert!(state.is_stalled());
    }
}

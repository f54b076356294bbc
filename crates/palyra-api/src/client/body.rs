//! Bodies that stream.

use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use tokio::sync::mpsc;

/// Bytes per read.
const CHUNK_BYTES: usize = 64 << 10;
/// Maximum number of chunks that wait to be sent.
const WAITING_CHUNKS: usize = 4;

/// Error while streaming a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BodyError(pub String);

/// The body of a request or a response.
pub type ApiBody = UnsyncBoxBody<Bytes, BodyError>;

/// Returns an empty body.
pub fn empty_body() -> ApiBody {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// Returns a body with these bytes.
pub fn full_body(bytes: impl Into<Bytes>) -> ApiBody {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// Returns a body that a blocking thread reads while it is sent; it is never in memory as a whole.
pub fn reader_body(reader: impl Read + Send + 'static, length: u64) -> ApiBody {
    let (sender, chunks) = mpsc::channel(WAITING_CHUNKS);
    tokio::task::spawn_blocking(move || read_chunks(reader, length, &sender));
    ReaderBody { chunks, left: length }.boxed_unsync()
}

/// Returns a body from a channel, which ends when the sender is dropped.
pub fn channel_body(pieces: mpsc::Receiver<Bytes>) -> ApiBody {
    ChannelBody(pieces).boxed_unsync()
}

struct ChannelBody(mpsc::Receiver<Bytes>);

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}

struct ReaderBody {
    chunks: mpsc::Receiver<std::io::Result<Bytes>>,
    left: u64,
}

impl Body for ReaderBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let chunk = ready!(self.chunks.poll_recv(context));
        Poll::Ready(chunk.map(|chunk| {
            let bytes = chunk.map_err(|error| BodyError(error.to_string()))?;
            self.left = self.left.saturating_sub(bytes.len() as u64);
            Ok(Frame::data(bytes))
        }))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Sends exactly `length` bytes: a file that shrank fails the body, and the extra bytes of one that grew are ignored.
fn read_chunks(mut reader: impl Read, length: u64, sender: &mpsc::Sender<std::io::Result<Bytes>>) {
    let mut left = length;
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let mut chunk = vec![0; wanted];
        let read = reader.read_exact(&mut chunk).map(|()| Bytes::from(chunk));
        let ended = read.is_err();
        // The receiver is dropped with its request.
        if sender.blocking_send(read).is_err() || ended {
            return;
        }
        left -= wanted as u64;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_streams_exactly_its_length_or_breaks_off() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
        let body = reader_body(std::io::Cursor::new(bytes.clone()), 200_000);
        assert_eq!(body.size_hint().exact(), Some(200_000));
        assert_eq!(body.collect().await.unwrap().to_bytes(), bytes);
        let cut = reader_body(std::io::Cursor::new(bytes.clone()), 70_000);
        assert_eq!(cut.collect().await.unwrap().to_bytes(), bytes[..70_000]);
        let short = reader_body(std::io::Cursor::new(vec![1; 10]), 11);
        assert!(short.collect().await.is_err());
    }
}

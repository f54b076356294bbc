//! Answers of one HTTP/2 connection that wait for their peer to open its window.
//!
//! A peer that opens no window keeps a response in memory while its connection still answers pings, so neither a write
//! timeout nor a ping timeout would end it.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

/// Size of a piece in bytes; a peer that takes a piece in time counts as slow, not as stalled.
const PIECE_BYTES: usize = 64 << 10;

/// The response parts of a connection that its peer has not taken, by number, each with the time since when.
#[derive(Default)]
pub(super) struct Untaken(Mutex<(u64, BTreeMap<u64, Instant>)>);

impl Untaken {
    /// Resolves when a part has waited for this long.
    pub(super) async fn expire(&self, patience: Duration) {
        loop {
            let oldest = self.0.lock().1.values().min().copied();
            let until = oldest.unwrap_or_else(Instant::now) + patience;
            if oldest.is_some() && until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}

/// A response in parts; each is noted until the next one is polled.
pub(super) struct PacedBody {
    body: Body,
    /// Rest of the current frame.
    rest: Bytes,
    number: u64,
    untaken: Arc<Untaken>,
}

impl PacedBody {
    pub(super) fn new(body: Body, untaken: &Arc<Untaken>) -> Self {
        let number = {
            let mut locked = untaken.0.lock();
            locked.0 += 1;
            locked.0
        };
        Self { body, rest: Bytes::new(), number, untaken: Arc::clone(untaken) }
    }
}

impl http_body::Body for PacedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let number = self.number;
        self.untaken.0.lock().1.remove(&number);
        if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(PIECE_BYTES);
        let piece = self.rest.split_to(length);
        self.untaken.0.lock().1.insert(number, Instant::now());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, hint) = (self.rest.len() as u64, self.body.size_hint());
        let mut sum = SizeHint::new();
        sum.set_lower(hint.lower().saturating_add(rest));
        if let Some(upper) = hint.upper() {
            sum.set_upper(upper.saturating_add(rest));
        }
        sum
    }
}

impl Drop for PacedBody {
    fn drop(&mut self) {
        self.untaken.0.lock().1.remove(&self.number);
    }
}

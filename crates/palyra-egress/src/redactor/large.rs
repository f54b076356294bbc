//! Searches large bodies in blocks, between which other tasks of the thread can run.

use super::{Redactor, WINDOW_BYTES};
use bytes::Bytes;
use tokio::task::yield_now;

/// Number of bytes searched before yielding to other tasks.
const TURN_BYTES: usize = 4 * WINDOW_BYTES;

impl Redactor {
    /// Like [`find`](Self::find), yielding to the runtime between blocks.
    pub(crate) async fn find_in_body(&self, body: &[u8], counts: impl Fn(usize) -> bool) -> Option<usize> {
        for (index, window) in self.windows(body).enumerate() {
            if index > 0 && index.is_multiple_of(TURN_BYTES / WINDOW_BYTES) {
                yield_now().await;
            }
            let found = self.find_in_window(window, &counts);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Like [`redact`](Self::redact), yielding to the runtime between blocks.
    pub(crate) async fn redact_body(&self, body: Bytes) -> Bytes {
        if self.find_in_body(&body, |_| true).await.is_none() {
            return body;
        }
        let mut stream = self.stream();
        let mut clean = Vec::with_capacity(body.len());
        for piece in body.chunks(TURN_BYTES) {
            clean.extend(stream.push(piece));
            yield_now().await;
        }
        clean.extend(stream.finish());
        Bytes::from(clean)
    }
}

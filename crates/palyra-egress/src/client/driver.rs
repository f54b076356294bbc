//! The part of a connection that transfers bytes.

use super::RequestBody;
use super::stream::{CountedStream, Transport};
use crate::budget::Meter;
use crate::error::EgressError;
use crate::limits::{MAX_HEADERS, MAX_RESPONSE_HEAD_BYTES};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

/// Maximum number of bytes that are read ahead of the consumer.
const READ_BUFFER_BYTES: usize = 64 << 10;

/// Transfers bytes only while it is polled.
pub(super) struct Driver {
    /// Set to `None` as soon as the connection ends, so that waiting requests fail.
    connection: Option<Connection<TokioIo<CountedStream>, RequestBody>>,
    received: Arc<AtomicU64>,
    counted: u64,
}

impl Driver {
    pub(super) async fn start(transport: Transport) -> hyper::Result<(SendRequest<RequestBody>, Self)> {
        let (stream, received) = CountedStream::new(transport);
        let (sender, connection) = Builder::new()
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_RESPONSE_HEAD_BYTES)
            .max_buf_size(READ_BUFFER_BYTES)
            .handshake(TokioIo::new(stream))
            .await?;
        Ok((sender, Self { connection: Some(connection), received, counted: 0 }))
    }

    /// Transfers as many bytes as possible, and counts received bytes before they are used.
    pub(super) fn advance(&mut self, cx: &mut Context<'_>, meter: &mut Meter<'_>) -> Result<(), EgressError> {
        self.poll_connection(cx);
        let received = self.received.load(Ordering::Relaxed);
        let fresh = received.saturating_sub(self.counted);
        self.counted = received;
        meter.receive(fresh)
    }

    /// Completes pending work between two exchanges. Returns whether the connection is still open.
    pub(super) async fn settle(&mut self) -> bool {
        poll_fn(|cx| {
            self.poll_connection(cx);
            Poll::Ready(())
        })
        .await;
        self.connection.is_some()
    }

    /// Polls the connection. Its errors are reported by the response or body that uses it.
    fn poll_connection(&mut self, cx: &mut Context<'_>) {
        if let Some(connection) = &mut self.connection
            && Pin::new(connection).poll(cx).is_ready()
        {
            self.connection = None;
        }
    }
}

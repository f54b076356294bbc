//! Replies of the test server.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Interval, interval};

/// A response of the test server.
#[derive(Debug)]
pub struct TestReply {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: TestBody,
}

/// The timing of a reply's body.
#[derive(Debug)]
pub enum TestBody {
    /// All at once, with its length.
    Whole(Bytes),
    /// Piece by piece, without a length.
    Pieces(VecDeque<Bytes>),
    /// This piece, repeated without end.
    Endless(Bytes),
    /// This piece, and then no more data and no end.
    Stalled(Bytes),
    /// This piece at every interval, without end.
    Drip(Bytes, Duration),
}

impl TestReply {
    /// Creates a 200 reply with this body.
    pub fn ok(body: impl Into<Bytes>) -> Self {
        Self::status(200).body(TestBody::Whole(body.into()))
    }

    /// Creates a reply with this status, without headers and body.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: TestBody::Whole(Bytes::new()) }
    }

    /// Adds a header line. An invalid one is ignored when the reply is sent.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Sets the body and its timing.
    pub fn body(mut self, body: TestBody) -> Self {
        self.body = body;
        self
    }

    /// Sets a body that is sent in these parts.
    pub fn pieces(self, pieces: impl IntoIterator<Item = Bytes>) -> Self {
        self.body(TestBody::Pieces(pieces.into_iter().collect()))
    }

    pub(super) fn into_response(self) -> Response<ReplyBody> {
        let mut response = Response::new(ReplyBody::new(self.body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for (name, value) in &self.headers {
            if let (Ok(name), Ok(value)) =
                (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value))
            {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}

/// A [`TestBody`] being sent.
pub(super) struct ReplyBody {
    body: TestBody,
    clock: Option<Interval>,
    length: Option<u64>,
    ended: bool,
}

impl ReplyBody {
    fn new(body: TestBody) -> Self {
        let clock = match &body {
            TestBody::Drip(_, every) => Some(interval(*every)),
            _ => None,
        };
        let length = match &body {
            TestBody::Whole(bytes) => Some(bytes.len() as u64),
            _ => None,
        };
        Self { ended: length == Some(0), body, clock, length }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if this.ended {
            return Poll::Ready(None);
        }
        if let Some(clock) = &mut this.clock
            && clock.poll_tick(cx).is_pending()
        {
            return Poll::Pending;
        }
        let piece = match &mut this.body {
            TestBody::Whole(bytes) => {
                this.ended = true;
                Some(std::mem::take(bytes))
            }
            TestBody::Pieces(pieces) => pieces.pop_front(),
            TestBody::Stalled(bytes) if bytes.is_empty() => return Poll::Pending,
            TestBody::Stalled(bytes) => Some(std::mem::take(bytes)),
            TestBody::Endless(piece) | TestBody::Drip(piece, _) => Some(piece.clone()),
        };
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map(SizeHint::with_exact).unwrap_or_default()
    }
}

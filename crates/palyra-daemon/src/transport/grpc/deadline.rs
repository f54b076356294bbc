//! `grpc-timeout`: parses the deadline of a call, and ends its body at that time.

use palyra_common::ErrorCode;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use palyra_api::Problem;
use palyra_api::grpc::status_of;
use tokio::time::{Instant, Sleep};
use tonic::Status;

const GRPC_TIMEOUT: &str = "grpc-timeout";

/// Returns the deadline of a call from its headers.
pub(super) fn asked(headers: &HeaderMap) -> Result<Option<Instant>, Status> {
    let Some(value) = headers.get(GRPC_TIMEOUT) else { return Ok(None) };
    let timeout = value.to_str().ok().and_then(parse);
    let timeout =
        timeout.ok_or_else(|| status_of(&Problem::new(ErrorCode::Usage, "invalid `grpc-timeout`")))?;
    Ok(Instant::now().checked_add(timeout))
}

/// Parses up to eight digits with a unit, for example `250m`.
fn parse(text: &str) -> Option<Duration> {
    let digits = text.get(..text.len().checked_sub(1)?)?;
    if !(1..=8).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    match text.as_bytes().last()? {
        b'H' => Some(Duration::from_secs(number * 3_600)),
        b'M' => Some(Duration::from_secs(number * 60)),
        b'S' => Some(Duration::from_secs(number)),
        b'm' => Some(Duration::from_millis(number)),
        b'u' => Some(Duration::from_micros(number)),
        b'n' => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

/// Returns the error for an exceeded deadline.
pub(super) fn passed() -> Status {
    status_of(&Problem::new(ErrorCode::TimedOut, "the deadline of the call was exceeded"))
}

/// A response body that ends at its deadline; dropping it cancels the call.
pub(super) struct Timed {
    answer: Option<Body>,
    until: Pin<Box<Sleep>>,
}

impl Timed {
    pub(super) fn new(answer: Body, until: Instant) -> Self {
        Self { answer: Some(answer), until: Box::pin(tokio::time::sleep_until(until)) }
    }
}

impl http_body::Body for Timed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(answer) = &mut self.answer else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(answer).poll_frame(context) {
            return Poll::Ready(frame);
        }
        if self.until.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.answer = None;
        let mut trailers = HeaderMap::new();
        match passed().add_header(&mut trailers) {
            Ok(()) => Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
            Err(status) => Poll::Ready(Some(Err(axum::Error::new(status)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.answer.as_ref().is_none_or(http_body::Body::is_end_stream)
    }
}

/// A message that must arrive completely before its deadline.
pub(super) struct InTime {
    message: Body,
    until: Pin<Box<Sleep>>,
}

impl InTime {
    pub(super) fn new(message: Body, patience: Duration) -> Self {
        Self { message, until: Box::pin(tokio::time::sleep(patience)) }
    }
}

impl http_body::Body for InTime {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.message).poll_frame(context) {
            return Poll::Ready(frame);
        }
        std::task::ready!(self.until.as_mut().poll(context));
        let late = Problem::new(ErrorCode::RequestTimeout, "the message did not arrive in time");
        Poll::Ready(Some(Err(axum::Error::new(status_of(&late)))))
    }

    fn is_end_stream(&self) -> bool {
        self.message.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_the_protocol_writes_them() {
        assert_eq!(parse("250m"), Some(Duration::from_millis(250)));
        assert_eq!(parse("1S"), Some(Duration::from_secs(1)));
        assert_eq!(parse("99999999H"), Some(Duration::from_secs(99_999_999 * 3_600)));
        for bad in ["", "S", "1", "-1S", "+1S", "1.5S", "123456789S", "1x", "é", "1é"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}

//! Meters the incoming messages of a call: each within its limit, and charged to the budget before it is buffered.

use palyra_common::ErrorCode;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;
use palyra_api::Problem;
use palyra_api::grpc::status_of;
use serde_json::json;

use crate::budget::Reservation;

/// Bytes before each message: a flag and its length.
const PREFIX_BYTES: usize = 5;

/// Reads the length of each message before the decoder does, because the decoder allocates that much.
pub(super) struct MeteredMessages {
    messages: Body,
    limit: usize,
    /// `None` for a call without a token, which its connection limits.
    reservation: Option<Reservation>,
    prefix: Vec<u8>,
    /// Remaining bytes of the current message.
    left: usize,
}

impl MeteredMessages {
    pub(super) fn new(messages: Body, limit: usize, reservation: Option<Reservation>) -> Self {
        Self { messages, limit, reservation, prefix: Vec::with_capacity(PREFIX_BYTES), left: 0 }
    }

    fn meter(&mut self, mut data: &[u8]) -> Result<(), Problem> {
        while !data.is_empty() {
            let of_message = data.len().min(self.left);
            self.left -= of_message;
            data = data.get(of_message..).unwrap_or_default();
            let of_prefix = data.len().min(PREFIX_BYTES - self.prefix.len());
            let (prefix, rest) = data.split_at(of_prefix);
            self.prefix.extend_from_slice(prefix);
            data = rest;
            if let [_, a, b, c, d] = *self.prefix {
                self.left = u32::from_be_bytes([a, b, c, d]) as usize;
                self.prefix.clear();
                self.admit(self.left)?;
            }
        }
        Ok(())
    }

    fn admit(&self, length: usize) -> Result<(), Problem> {
        let limit = self.limit;
        if length > limit {
            let message = format!("the message is longer than {limit} bytes");
            return Err(Problem::new(ErrorCode::BodyTooLarge, message).details(json!({ "limit": limit })));
        }
        match &self.reservation {
            Some(reservation) => Ok(reservation.grow_to(length)?),
            None => Ok(()),
        }
    }
}

impl http_body::Body for MeteredMessages {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.messages).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(problem) = self.meter(data)
        {
            return Poll::Ready(Some(Err(axum::Error::new(status_of(&problem)))));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.messages.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{MemoryBudget, PRINCIPAL_BYTES};

    fn metered(limit: usize, reservation: Option<Reservation>) -> MeteredMessages {
        MeteredMessages::new(Body::empty(), limit, reservation)
    }

    fn prefixed(length: u32) -> Vec<u8> {
        [&[0][..], &length.to_be_bytes()].concat()
    }

    #[test]
    fn message_over_its_limit_is_refused_at_its_length() {
        let mut bytes = [prefixed(3), vec![7; 3], prefixed(0), prefixed(9)].concat();
        bytes.extend([7; 9]);
        for piece in 1..bytes.len() {
            let mut messages = metered(8, None);
            let parts = bytes[..17].chunks(piece);
            let outcome: Result<Vec<()>, Problem> = parts.map(|part| messages.meter(part)).collect();
            assert!(outcome.is_ok(), "{piece}: the length of the last message is not whole yet");
            assert_eq!(
                messages.meter(&bytes[17..18]).unwrap_err().code.as_str(),
                "body_too_large",
                "{piece}"
            );
        }
    }

    #[test]
    fn announced_length_is_reserved_before_the_message_comes() {
        let budget = MemoryBudget::default();
        let mut messages = metered(PRINCIPAL_BYTES, Some(budget.open("a").unwrap()));
        messages.meter(&prefixed(u32::try_from(PRINCIPAL_BYTES).unwrap())).unwrap();
        assert!(budget.open("a").is_err() && budget.open("b").is_ok());
        drop(messages);
        let mut messages = metered(usize::MAX, Some(budget.open("a").unwrap()));
        assert_eq!(messages.meter(&prefixed(u32::MAX)).unwrap_err().code.as_str(), "too_many_uploads");
    }
}

//! A response whose body is read while it arrives, as event streams need.

use crate::budget::Meter;
use crate::client::{LiveConnection, OpenResponse, Pool};
use crate::error::EgressError;
use crate::redactor::{Redactor, RedactorStream};
use crate::response::redacted_headers;
use bytes::Bytes;
use http_body::Body;
use hyper::body::Incoming;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// A response that is still arriving. Dropping it closes the connection immediately.
///
/// Every byte is counted against budget and rule, and secrets are masked, before it is returned.
pub struct StreamingResponse<'b> {
    status: u16,
    headers: Vec<(String, String)>,
    address: SocketAddr,
    body_bytes: u64,
    meter: Meter<'b>,
    redactor: Redactor,
    /// `None` after the body ended or failed.
    rest: Option<Rest>,
}

/// The source of the remaining body, and the pool for its connection.
struct Rest {
    body: Incoming,
    connection: LiveConnection,
    clean: RedactorStream,
    pool: Arc<Pool>,
}

impl<'b> StreamingResponse<'b> {
    pub(crate) fn new(
        open: OpenResponse,
        meter: Meter<'b>,
        redactor: &Redactor,
        pool: Arc<Pool>,
    ) -> Result<Self, EgressError> {
        if let Some(length) = open.body.size_hint().exact() {
            meter.expect_body(length)?;
        }
        let OpenResponse { head, body, connection } = open;
        Ok(Self {
            status: head.status.as_u16(),
            headers: redacted_headers(&head.headers, redactor).0,
            address: connection.key.address,
            body_bytes: 0,
            meter,
            redactor: redactor.clone(),
            rest: Some(Rest { body, connection, clean: redactor.stream(), pool }),
        })
    }

    /// Returns the HTTP status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the value of a header. `name` must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the address of the connection.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the next part of the body, or `None` at its end and after an error.
    ///
    /// Bytes that could be the start of a secret are retained until more arrive, so a part can be empty.
    pub async fn next(&mut self) -> Result<Option<Bytes>, EgressError> {
        let Some(rest) = &mut self.rest else { return Ok(None) };
        let next = rest.connection.next_data(&mut rest.body, &mut self.meter).await;
        let counted = next.and_then(|data| {
            let fresh = data.as_ref().map_or(0, |data| data.len() as u64);
            self.body_bytes = self.body_bytes.saturating_add(fresh);
            self.meter.check_body(self.body_bytes).map(|()| data)
        });
        match counted {
            Ok(Some(data)) => Ok(Some(rest.clean.push(&data).into())),
            Ok(None) => Ok(self.finish().await),
            Err(error) => {
                self.rest = None;
                Err(error.redacted(&self.redactor))
            }
        }
    }

    /// Returns the connection to the pool, and the retained bytes of the body.
    async fn finish(&mut self) -> Option<Bytes> {
        let rest = self.rest.take()?;
        rest.pool.put(rest.connection).await;
        let last = rest.clean.finish();
        (!last.is_empty()).then(|| last.into())
    }
}

impl fmt::Debug for StreamingResponse<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamingResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

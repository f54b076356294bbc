//! A response, whole and clean of secrets.

use crate::redactor::Redactor;
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use std::net::SocketAddr;

/// What came back. A redirect is handed back like any other answer, and a body is never decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingResponse {
    /// The status code.
    pub status: u16,
    /// Header lines; a value outside ASCII is read as ISO-8859-1.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
    /// The address that was connected to.
    pub address: SocketAddr,
    /// Bytes of head and body that were sent.
    pub bytes_sent: u64,
    /// Bytes of head and body that were received.
    pub bytes_received: u64,
    /// Whether a secret was removed from its headers or its body.
    pub masked: bool,
}

/// A response as it came from the wire.
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) address: SocketAddr,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

impl RawResponse {
    /// Blots out the secrets. A body that changed length gets the `Content-Length` it now has.
    pub(crate) async fn redacted(self, redactor: &Redactor) -> IncomingResponse {
        let body = redactor.redact_body(self.body.clone()).await;
        let length_changed = body.len() != self.body.len();
        let (mut headers, head_masked) = redacted_headers(&self.headers, redactor);
        let masked = head_masked || body != self.body;
        for (_, value) in
            headers.iter_mut().filter(|(name, _)| length_changed && name == CONTENT_LENGTH.as_str())
        {
            *value = body.len().to_string();
        }
        IncomingResponse {
            status: self.status,
            headers,
            body,
            address: self.address,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            masked,
        }
    }
}

/// The header lines without the secrets, and whether one was in them.
pub(crate) fn redacted_headers(headers: &HeaderMap, redactor: &Redactor) -> (Vec<(String, String)>, bool) {
    let nothing = Redactor::default();
    let masked = redactor.is_in(&joined(headers, redactor));
    let redactor = if masked { redactor } else { &nothing };
    let clean = headers.iter().map(|(name, value)| {
        (redactor.redact_text(name.as_str()).into_owned(), latin1(&redactor.redact(value.as_bytes())))
    });
    (clean.collect(), masked)
}

/// All header lines in one piece, because one search over it is far cheaper than one per line.
fn joined(headers: &HeaderMap, redactor: &Redactor) -> Vec<u8> {
    let mut together = Vec::new();
    for (name, value) in headers.iter().filter(|_| !redactor.is_empty()) {
        for part in [name.as_str().as_bytes(), value.as_bytes()] {
            together.extend_from_slice(part);
            together.push(b'\n');
        }
    }
    together
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

//! A complete response without secrets.

use crate::redactor::Redactor;
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use std::net::SocketAddr;

/// A response. A redirect is returned like any other response, and a body is never decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingResponse {
    /// The HTTP status code.
    pub status: u16,
    /// Header lines. Values outside of ASCII are decoded as ISO-8859-1.
    pub headers: Vec<(String, String)>,
    /// The complete body, with secrets masked.
    pub body: Bytes,
    /// The address of the connection.
    pub address: SocketAddr,
    /// Number of bytes sent, head and body.
    pub bytes_sent: u64,
    /// Number of bytes received, head and body.
    pub bytes_received: u64,
    /// Whether a secret was masked in the headers or the body.
    pub masked: bool,
}

/// A response before redaction.
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) address: SocketAddr,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

impl RawResponse {
    /// Masks the secrets. If this changes the length of the body, `Content-Length` is updated.
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

/// Returns the header lines with masked secrets, and whether there were any.
pub(crate) fn redacted_headers(headers: &HeaderMap, redactor: &Redactor) -> (Vec<(String, String)>, bool) {
    let nothing = Redactor::default();
    let masked = redactor.is_in(&joined(headers, redactor));
    let redactor = if masked { redactor } else { &nothing };
    let clean = headers.iter().map(|(name, value)| {
        (redactor.redact_text(name.as_str()).into_owned(), latin1(&redactor.redact(value.as_bytes())))
    });
    (clean.collect(), masked)
}

/// Joins all header lines, because one search over them is far cheaper than one per line.
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

//! Raw requests, for bytes that an HTTP client never sends.

use crate::daemon::Daemon;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A parsed HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn code(&self) -> String {
        let problem: Value = serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"));
        assert!(self.head.to_lowercase().contains("application/problem+json"), "{self:?}");
        assert!(problem["request_id"].as_str().unwrap().starts_with("req_"));
        problem["code"].as_str().unwrap().to_owned()
    }
}

/// Sends bytes and reads until the peer closes the connection.
pub(crate) async fn exchange(daemon: &Daemon, request: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(daemon.address).await.unwrap();
    // The daemon may close before everything is written.
    let _ = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    parse(&bytes)
}

/// Sends a request with a token and more headers, on a new connection.
pub(crate) async fn ask(
    daemon: &Daemon,
    method: &str,
    path: &str,
    token: Option<&str>,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {}\r\n", daemon.address));
    }
    if let Some(token) = token {
        head.push_str(&format!("Authorization: Bearer {token}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    exchange(daemon, format!("{head}\r\n{body}").as_bytes()).await
}

pub(crate) fn parse(bytes: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

//! Connections that dawdle, and too many of them.

use crate::daemon::{Daemon, config};
use crate::raw::{Reply, parse};
use palyra_daemon::ServerConfig;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const SHORT: Duration = Duration::from_millis(100);

/// Everything until the daemon closes; the test ends only if it does.
async fn rest(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    parse(&bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_head_and_silence_are_closed() {
    let daemon = Daemon::with(ServerConfig { header_timeout: SHORT, ..config() }).await;
    for begun in ["", "G", "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:"] {
        let mut stream = TcpStream::connect(daemon.address).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        let reply = rest(&mut stream).await;
        assert!(matches!(reply.status, 0 | 408), "{begun} {reply:?}");
    }
    assert!(daemon.over_tcp().health().await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_body_is_given_up_on() {
    let daemon = Daemon::with(ServerConfig { body_timeout: SHORT, ..config() }).await;
    let mut stream = TcpStream::connect(daemon.address).await.unwrap();
    let head = format!(
        "POST /v1/tokens HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 100\r\n\r\n{{\"name\":",
        daemon.address,
        daemon.token.as_str()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let reply = rest(&mut stream).await;
    assert_eq!((reply.status, reply.code().as_str()), (408, "request_timeout"));
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_counted() {
    let daemon = Daemon::with(ServerConfig { max_connections: 2, ..config() }).await;
    let head = format!(
        "GET /v1/health HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        daemon.address,
        daemon.token.as_str()
    );
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(daemon.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        held.push(stream);
    }
    let mut third = TcpStream::connect(daemon.address).await.unwrap();
    let _ = third.write_all(head.as_bytes()).await;
    assert_eq!(rest(&mut third).await.status, 0, "one too many is closed at once");
    daemon.over_socket().health().await.unwrap();
}

//! Slow connections, and too many of them.

use crate::daemon::{Daemon, config};
use crate::raw::{Reply, parse};
use bytes::Bytes;
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use palyra_api::grpc::gateway::v1::InvokeRequest;
use palyra_common::Scope;
use palyra_daemon::ServerConfig;
use prost::Message;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

const SHORT: Duration = Duration::from_millis(100);

/// Reads until the daemon closes the connection.
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
    let other = daemon.token_with("other", &[Scope::Read]);
    let head = |token: &str| {
        format!(
            "GET /v1/health HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n",
            daemon.address
        )
    };
    let mut held = Vec::new();
    for token in [daemon.token.as_str(), &other] {
        let head = head(token);
        let mut stream = TcpStream::connect(daemon.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        held.push(stream);
    }
    let mut third = TcpStream::connect(daemon.address).await.unwrap();
    let _ = third.write_all(head(&other).as_bytes()).await;
    assert_eq!(rest(&mut third).await.status, 0, "one too many is closed at once");
    daemon.over_socket().health().await.unwrap();
}

/// Returns the start of a request that is never completed.
fn half_a_head() -> &'static [u8] {
    b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:"
}

#[tokio::test(flavor = "multi_thread")]
async fn half_open_connections_yield_to_new_ones() {
    let daemon = Daemon::with(ServerConfig { max_connections: 8, ..config() }).await;
    let kept = daemon.over_tcp();
    kept.health().await.unwrap();
    let mut held = Vec::new();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(daemon.address).await.unwrap();
        stream.write_all(half_a_head()).await.unwrap();
        let mut socket = UnixStream::connect(&daemon.socket).await.unwrap();
        socket.write_all(half_a_head()).await.unwrap();
        let mut grpc = TcpStream::connect(daemon.grpc).await.unwrap();
        grpc.write_all(b"PRI * HTTP/2.0\r\n").await.unwrap();
        held.push((stream, socket, grpc));
        if held.len() % 10 == 0 {
            daemon.over_tcp().health().await.unwrap();
            daemon.over_socket().health().await.unwrap();
            let wire = crate::grpc::Wire::owner(&daemon);
            wire.raw("/palyra.gateway.v1.GatewayService/GetHealth", Vec::new()).await.unwrap();
            kept.health().await.unwrap();
        }
    }
    let (mut oldest, ..) = held.remove(0);
    assert_eq!(rest(&mut oldest).await.status, 0, "the oldest was closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_answers_end_with_their_connection() {
    let daemon = Daemon::with(ServerConfig { body_timeout: SHORT, ..config() }).await;
    daemon.install("bench", "");
    let text = "x".repeat(100 << 10);
    let body = format!("{{\"input\":{{\"text\":\"{text}\"}}}}");
    let head = format!(
        "POST /v1/tools/acme.bench.echo/invoke HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        daemon.address,
        daemon.token.as_str(),
        body.len()
    );
    let mut stream = TcpStream::connect(daemon.address).await.unwrap();
    // More responses than system buffers hold: the daemon waits for this client until the timeout.
    loop {
        let sent = async {
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(body.as_bytes()).await
        };
        if sent.await.is_err() {
            break;
        }
    }
    assert!(daemon.over_tcp().health().await.is_ok());
}

/// The client responds to every ping and opens no window for the response.
#[tokio::test(flavor = "multi_thread")]
async fn grpc_answers_without_a_window_end_with_their_connection() {
    let daemon = Daemon::with(ServerConfig { body_timeout: SHORT, ..config() }).await;
    daemon.install("bench", "");
    let stream = TcpStream::connect(daemon.grpc).await.unwrap();
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let handshake = builder.initial_stream_window_size(1).handshake(TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.unwrap();
    let connection = tokio::spawn(connection);
    let call = InvokeRequest {
        tool: "acme.bench.echo".into(),
        input_json: format!("{{\"text\":\"{}\"}}", "x".repeat(100 << 10)),
        ..InvokeRequest::default()
    };
    let mut message = vec![0];
    message.extend(u32::try_from(call.encoded_len()).unwrap().to_be_bytes());
    message.extend(call.encode_to_vec());
    let request =
        http::Request::post(format!("http://{}/palyra.gateway.v1.GatewayService/Invoke", daemon.grpc))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("authorization", format!("Bearer {}", daemon.token.as_str()))
            .body(Full::new(Bytes::from(message)))
            .unwrap();
    let unread = sender.send_request(request).await.unwrap();
    assert_eq!(unread.status(), 200);
    // The test ends only if the daemon closes the connection.
    let _ = connection.await.unwrap();
    drop(unread);
    assert!(daemon.over_tcp().health().await.is_ok());
}

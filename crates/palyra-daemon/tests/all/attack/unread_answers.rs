//! Clients that send requests and never read the responses, over every transport.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use palyra_api::grpc::gateway::v1::InvokeRequest;
use prost::Message;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::net::{TcpStream, UnixStream};

/// Number of connections that are kept open without being read, more than the places of one listener.
const KEPT: usize = 600;
/// Number of gRPC calls per connection.
const CALLS: usize = 4;
/// Maximum bytes sent over one connection.
const MOST: usize = 4 << 20;

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let mut kept = VecDeque::new();
    let mut tally = Tally::default();
    while rounds.next() {
        tally.tried += 1;
        if let Ok(connection) = ask_and_never_read(&target, tally.tried).await {
            kept.push_back(connection);
        }
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }
    tally
}

/// A connection that is kept open.
enum Connection {
    Tcp { _stream: TcpStream },
    Socket { _stream: UnixStream },
    Grpc { _answers: Vec<http::Response<Incoming>>, _sender: SendRequest<Full<Bytes>> },
}

async fn ask_and_never_read(target: &Target, number: u64) -> io::Result<Connection> {
    let text = "x".repeat(100 << 10);
    let call = format!("{{\"input\":{{\"text\":\"{text}\"}}}}");
    let call = target.head("/v1/tools/acme.bench.echo/invoke", &target.caller, call.len()) + &call;
    match number % 6 {
        0 => {
            let stream = UnixStream::connect(&target.socket).await?;
            stream.writable().await?;
            fill(call.as_bytes(), MOST, |bytes| stream.try_write(bytes));
            Ok(Connection::Socket { _stream: stream })
        }
        1 => {
            let listing = mcp_listing(target);
            let stream = UnixStream::connect(&target.socket).await?;
            stream.writable().await?;
            fill(listing.as_bytes(), listing.len(), |bytes| stream.try_write(bytes));
            Ok(Connection::Socket { _stream: stream })
        }
        2 => {
            let listing = mcp_listing(target);
            let stream = TcpStream::connect(target.address).await?;
            stream.writable().await?;
            fill(listing.as_bytes(), listing.len(), |bytes| stream.try_write(bytes));
            Ok(Connection::Tcp { _stream: stream })
        }
        3 => unread_calls(target, &text).await,
        4 => {
            let events = target.head("/v1/events", &target.reader, 0).replace("POST", "GET");
            let stream = TcpStream::connect(target.address).await?;
            stream.writable().await?;
            fill(events.as_bytes(), events.len(), |bytes| stream.try_write(bytes));
            Ok(Connection::Tcp { _stream: stream })
        }
        _ => {
            let stream = TcpStream::connect(target.address).await?;
            stream.writable().await?;
            fill(call.as_bytes(), MOST, |bytes| stream.try_write(bytes));
            Ok(Connection::Tcp { _stream: stream })
        }
    }
}

/// Begins calls whose responses have no window to be sent in.
async fn unread_calls(target: &Target, text: &str) -> io::Result<Connection> {
    let stream = TcpStream::connect(target.grpc).await?;
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let handshake = builder.initial_stream_window_size(1).handshake(TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    let call = InvokeRequest {
        tool: "acme.bench.echo".into(),
        input_json: format!("{{\"text\":\"{text}\"}}"),
        ..InvokeRequest::default()
    };
    let mut message = vec![0];
    message.extend(u32::try_from(call.encoded_len()).unwrap().to_be_bytes());
    message.extend(call.encode_to_vec());
    let message = Bytes::from(message);
    let mut answers = Vec::new();
    for _ in 0..CALLS {
        let path = format!("http://{}/palyra.gateway.v1.GatewayService/Invoke", target.grpc);
        let request = http::Request::post(path)
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("authorization", format!("Bearer {}", target.caller))
            .body(Full::new(message.clone()))
            .unwrap();
        answers.push(sender.send_request(request).await.map_err(io::Error::other)?);
    }
    Ok(Connection::Grpc { _answers: answers, _sender: sender })
}

/// Returns the bytes of an MCP client that lists the tools repeatedly.
fn mcp_listing(target: &Target) -> String {
    let head = target.mcp_head(&target.reader);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let mut lines = format!("{hello}\n");
    for id in 1..20_000 {
        lines.push_str(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}\n"));
    }
    format!("{head}{:x}\r\n{lines}\r\n", lines.len())
}

/// Repeats a request until the daemon accepts no more bytes.
fn fill(request: &[u8], most: usize, write: impl Fn(&[u8]) -> io::Result<usize>) {
    let mut sent = 0;
    while sent < most {
        let rest = &request[sent % request.len()..];
        match write(rest) {
            Ok(count) => sent += count,
            Err(_) => return,
        }
    }
}

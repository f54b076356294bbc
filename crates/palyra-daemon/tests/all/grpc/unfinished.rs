//! Calls whose message is announced and never complete.

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use http_body::Frame;
use http_body_util::StreamBody;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpStream;

pub(crate) type Unfinished = StreamBody<BoxStream<'static, Result<Frame<Bytes>, io::Error>>>;

/// Bytes per write.
const PART: usize = 16 << 10;

/// Returns a message with this announced length that ends early.
fn message(announced: usize, sent: usize) -> Unfinished {
    let length = u32::try_from(announced).unwrap().to_be_bytes();
    let prefix = Bytes::from([&[0][..], &length].concat());
    let zeros = Bytes::from(vec![0; PART.min(sent)]);
    let parts = (0..sent / PART.max(1)).map(move |_| zeros.clone());
    let parts = std::iter::once(prefix).chain(parts).map(|part| Ok(Frame::data(part)));
    StreamBody::new(futures::stream::iter(parts).chain(futures::stream::pending()).boxed())
}

/// Connects to the gRPC port.
pub(crate) async fn connect(address: SocketAddr) -> io::Result<SendRequest<Unfinished>> {
    let stream = TcpStream::connect(address).await?;
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = handshake.await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Announces a message, sends a part of it, and returns the status that arrives before the rest.
pub(crate) async fn status_before_message(
    mut sender: SendRequest<Unfinished>,
    address: SocketAddr,
    path: &str,
    token: Option<&str>,
    (announced, sent): (usize, usize),
) -> Result<String, hyper::Error> {
    let mut request = http::Request::post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let response = sender.send_request(request.body(message(announced, sent)).unwrap()).await?;
    let status = match response.headers().get("grpc-status") {
        Some(status) => status.clone(),
        None => {
            let answer = http_body_util::BodyExt::collect(response.into_body()).await?;
            answer.trailers().unwrap()["grpc-status"].clone()
        }
    };
    Ok(status.to_str().unwrap().to_owned())
}

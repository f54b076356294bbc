//! A connection to the gRPC port with a token, which records the methods that were called.

use crate::daemon::Daemon;
use http::header::AUTHORIZATION;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error, ResponseFuture};
use hyper_util::rt::TokioExecutor;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

#[derive(Clone)]
pub(crate) struct Wire {
    client: Client<HttpConnector, Body>,
    /// Address of the daemon, and the host name in requests.
    place: Authority,
    authority: Option<Authority>,
    token: Option<HeaderValue>,
    timeout: Option<&'static str>,
    called: Arc<Mutex<BTreeSet<String>>>,
}

impl Wire {
    pub(crate) fn new(daemon: &Daemon, token: Option<&str>) -> Self {
        Self::at(daemon.grpc, token)
    }

    /// Connects to a daemon in another process.
    pub(crate) fn at(address: std::net::SocketAddr, token: Option<&str>) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).http2_only(true).build(HttpConnector::new()),
            place: address.to_string().parse().unwrap(),
            authority: None,
            token: token.map(|token| format!("Bearer {token}").parse().unwrap()),
            timeout: None,
            called: Arc::default(),
        }
    }

    /// Connects as the owner.
    pub(crate) fn owner(daemon: &Daemon) -> Self {
        Self::new(daemon, Some(daemon.token.as_str()))
    }

    /// Sets a deadline that only the daemon enforces.
    pub(crate) fn within(&self, timeout: &'static str) -> Self {
        Self { timeout: Some(timeout), ..self.clone() }
    }

    /// Returns a connection that addresses the daemon by another name, as a DNS rebinding attack does.
    pub(crate) fn called_as(&self, name: &str) -> Self {
        Self { authority: Some(name.parse().unwrap()), ..self.clone() }
    }

    /// Returns the methods that were called.
    pub(crate) fn called(&self) -> BTreeSet<String> {
        self.called.lock().unwrap().clone()
    }

    /// Calls any method with the bytes of one message, and returns the first response.
    pub(crate) async fn raw(&self, path: &str, message: Vec<u8>) -> Result<Option<Vec<u8>>, tonic::Status> {
        let mut client = tonic::client::Grpc::new(self.clone());
        client.ready().await.unwrap();
        let messages = tonic::Request::new(futures::stream::iter([message]));
        let answer = client.streaming(messages, path.parse().unwrap(), Bytes).await?;
        answer.into_inner().message().await
    }
}

impl tower::Service<Request<Body>> for Wire {
    type Response = Response<Incoming>;
    type Error = Error;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> ResponseFuture {
        self.called.lock().unwrap().insert(request.uri().path().to_owned());
        let mut parts = std::mem::take(request.uri_mut()).into_parts();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(self.place.clone());
        *request.uri_mut() = Uri::from_parts(parts).unwrap();
        request.headers_mut().extend(self.token.clone().map(|token| (AUTHORIZATION, token)));
        if let Some(name) = &self.authority {
            request.headers_mut().insert(http::header::HOST, name.as_str().parse().unwrap());
        }
        if let Some(timeout) = self.timeout {
            request.headers_mut().insert("grpc-timeout", HeaderValue::from_static(timeout));
        }
        self.client.request(request)
    }
}

/// A codec for raw messages.
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = tonic::Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = tonic::Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, tonic::Status> {
        use bytes::Buf;
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}

//! The typed client: one method for each call, the same whether the daemon is remote or this process.

mod activity;
mod approvals;
mod audit_policy;
mod backup;
mod body;
mod channels;
mod console;
mod deliveries;
mod doctor;
mod error;
mod events;
mod health;
mod hooks;
mod journal;
mod keys;
mod mcp;
mod models;
mod modules;
mod objectives;
mod packages;
mod plugins;
mod policy;
mod query;
pub mod remote;
mod routines;
mod runner_policy;
mod runs;
mod sessions;
mod skills;
pub mod sse;
mod surfaces;
mod tokens;
mod tools;
mod transport;
mod trust;
mod vault;

pub use body::{ApiBody, BodyError, channel_body, empty_body, full_body, reader_body};
pub use error::{ClientError, TransportError};
pub use transport::Transport;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Problem;
use crate::packages::PACKAGE_TYPE;

/// Maximum size of a response that is read as a whole, in bytes.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// Typed client of the daemon, over any transport.
#[derive(Debug, Clone)]
pub struct Client<T> {
    transport: T,
}

impl<T: Transport> Client<T> {
    /// Creates a client over a transport.
    pub fn new(transport: T) -> Self {
        Self { transport }
    }

    /// Returns the transport.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// Sends a GET request and parses the response.
    pub fn get<A: DeserializeOwned>(
        &self,
        path: &str,
    ) -> impl Future<Output = Result<A, ClientError>> + Send {
        self.answer(request(Method::GET, path, empty_body()))
    }

    /// Sends a DELETE request and parses the response.
    pub fn delete<A: DeserializeOwned>(
        &self,
        path: &str,
    ) -> impl Future<Output = Result<A, ClientError>> + Send {
        self.answer(request(Method::DELETE, path, empty_body()))
    }

    /// Sends a POST request without a body and parses the response.
    pub fn post<A: DeserializeOwned>(
        &self,
        path: &str,
    ) -> impl Future<Output = Result<A, ClientError>> + Send {
        self.answer(request(Method::POST, path, empty_body()))
    }

    /// Sends a JSON body.
    pub fn send<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> impl Future<Output = Result<A, ClientError>> + Send {
        self.answer(json_request(method, path, body))
    }

    /// Sends a JSON body that is there already, byte for byte.
    pub fn send_json<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        json: Vec<u8>,
    ) -> impl Future<Output = Result<A, ClientError>> + Send {
        self.answer(written_request(method, path, json))
    }

    /// Sends a request and gives its answer with the body still to come; a problem is an error.
    pub async fn open(&self, request: Request<ApiBody>) -> Result<Response<ApiBody>, ClientError> {
        let response = self.transport.send(request).await?;
        if response.status().is_success() { Ok(response) } else { Err(problem(response).await) }
    }

    /// Sends a request, reads the whole response and parses it.
    pub async fn answer<A: DeserializeOwned>(
        &self,
        request: Result<Request<ApiBody>, ClientError>,
    ) -> Result<A, ClientError> {
        decode(&self.exchange(request?).await?)
    }

    async fn exchange(&self, request: Request<ApiBody>) -> Result<Bytes, ClientError> {
        collect(self.open(request).await?.into_body()).await
    }
}

fn decode<A: DeserializeOwned>(bytes: &[u8]) -> Result<A, ClientError> {
    // An empty body confirms the operation without data, for types that accept `null`.
    let bytes: &[u8] = if bytes.is_empty() { b"null" } else { bytes };
    serde_json::from_slice(bytes)
        .map_err(|error| ClientError::Protocol(format!("unexpected response of the daemon: {error}")))
}

fn json_request(method: Method, path: &str, body: &impl Serialize) -> Result<Request<ApiBody>, ClientError> {
    let bytes = serde_json::to_vec(body).map_err(|error| ClientError::Protocol(error.to_string()))?;
    written_request(method, path, bytes)
}

fn written_request(method: Method, path: &str, json: Vec<u8>) -> Result<Request<ApiBody>, ClientError> {
    let mut request = request(method, path, full_body(json))?;
    request.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    Ok(request)
}

/// Builds a request for a path of the API.
pub fn request(method: Method, path: &str, body: ApiBody) -> Result<Request<ApiBody>, ClientError> {
    let built = Request::builder().method(method).uri(path).header(ACCEPT, "application/json").body(body);
    built.map_err(|error| ClientError::Protocol(format!("cannot request `{path}`: {error}")))
}

/// Builds a request with a package as its body.
fn package_request(path: &str, package: ApiBody) -> Result<Request<ApiBody>, ClientError> {
    let mut request = request(Method::POST, path, package)?;
    request.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(PACKAGE_TYPE));
    Ok(request)
}

/// Escapes one segment of a path.
pub fn segment(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'~');
    let escaped = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let text: String = text.bytes().map(escaped).collect();
    // A part of dots alone would be taken for a way up.
    if text.bytes().all(|byte| byte == b'.') { text.replace('.', "%2E") } else { text }
}

async fn problem(response: Response<ApiBody>) -> ClientError {
    let status = response.status();
    match collect(response.into_body()).await {
        Ok(bytes) => match serde_json::from_slice::<Problem>(&bytes) {
            Ok(problem) => ClientError::Problem(Box::new(problem)),
            Err(_) => ClientError::Protocol(foreign(status)),
        },
        Err(error) => error,
    }
}

fn foreign(status: StatusCode) -> String {
    format!("not a Palyra daemon: it answered {status}")
}

async fn collect(body: ApiBody) -> Result<Bytes, ClientError> {
    let collected = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
    collected
        .map(http_body_util::Collected::to_bytes)
        .map_err(|error| ClientError::Transport(TransportError::Broken(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn a_segment_never_leaves_its_place() {
        assert_eq!(segment("acme.notes"), "acme.notes");
        assert_eq!(segment("a/b?c#d e%"), "a%2Fb%3Fc%23d%20e%25");
        assert_eq!(segment(".."), "%2E%2E");
        assert_eq!(segment("é"), "%C3%A9");
    }
}

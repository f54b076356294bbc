//! JSON bodies: of the right type, within their limit, in time, and of the right shape.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use palyra_api::{Problem, SecretBytes};
use palyra_common::SecretValue;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::access::Needs;
use super::answer::{Failure, Json};
use super::route::SMALL_BODY;

/// How long a body may take to arrive; a listener says so, and a request of this process has no such limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTimeout(pub(crate) Duration);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        decode(&read_json(request).await?).map(Json).map_err(|reason| {
            Problem::new("usage", format!("the body is not what this path takes: {reason}"))
                .hint("`GET /v1/openapi.json` describes every body")
                .into()
        })
    }
}

/// Reads an object; the fields of a shape could otherwise also come as a list, without their names.
fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    decode_object(bytes)?.map_err(|error| error.to_string())
}

fn decode_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<serde_json::Result<T>, &'static str> {
    match bytes.trim_ascii_start().first() {
        Some(b'{') => Ok(serde_json::from_slice(bytes)),
        _ => Err("it is not a JSON object"),
    }
}

/// A JSON body with a secret in it: what is wrong with it is told by its place, never by its text.
pub(super) struct Sealed<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sealed<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        let bytes = read_json(request).await?;
        let refused = |reason: String| {
            Problem::new("usage", format!("the body is not what this path takes: {reason}"))
                .hint("`GET /v1/openapi.json` describes every body")
        };
        let decoded = decode_object(&bytes).map_err(|reason| refused(reason.into()))?;
        let place = |error: serde_json::Error| {
            refused(format!("see line {} column {}", error.line(), error.column())).into()
        };
        decoded.map(Self).map_err(place)
    }
}

/// The bytes of a secret in a body.
pub(super) fn open_secret(secret: &SecretBytes) -> Result<SecretValue, Problem> {
    secret.value().map_err(|error| Problem::new("usage", error.to_string()))
}

/// A JSON body as it came, for what is signed byte for byte.
pub(super) struct Raw(pub(super) Bytes);

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        read_json(request).await.map(Self)
    }
}

/// The bytes of a body that says it is JSON.
async fn read_json(request: Request) -> Result<Bytes, Failure> {
    check_type(&request)?;
    let limit = request.extensions().get::<Needs>().map_or(SMALL_BODY, |needs| needs.body_limit);
    read(request, limit).await
}

fn check_type(request: &Request) -> Result<(), Failure> {
    let named = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim();
    match essence.eq_ignore_ascii_case("application/json") {
        true => Ok(()),
        false => Err(Problem::new("unsupported_media_type", "the body must be `application/json`").into()),
    }
}

/// The whole body of a request that something else reads, within its limit and in time.
pub(super) async fn read_whole(request: Request) -> Result<(Parts, Bytes), Failure> {
    let limit = request.extensions().get::<Needs>().map_or(SMALL_BODY, |needs| needs.body_limit);
    let (parts, body) = request.into_parts();
    let timeout = parts.extensions.get::<BodyTimeout>().copied();
    let bytes = read_body(body, timeout, limit).await?;
    Ok((parts, bytes))
}

async fn read(request: Request, limit: usize) -> Result<Bytes, Failure> {
    let timeout = request.extensions().get::<BodyTimeout>().copied();
    read_body(request.into_body(), timeout, limit).await
}

async fn read_body(body: Body, timeout: Option<BodyTimeout>, limit: usize) -> Result<Bytes, Failure> {
    let timeout = timeout.map_or(Duration::MAX, |timeout| timeout.0);
    let short = http_body::Body::size_hint(&body).upper().is_some_and(|bytes| bytes <= UNCOUNTED as u64);
    let body = Limited::new(body, limit);
    let read = async {
        match short {
            true => body.collect().await.map(Collected::to_bytes).map_err(|error| broken(&*error, limit)),
            false => collect_counted(body, limit).await,
        }
    };
    let late = |_| Problem::new("request_timeout", "the body did not arrive in time");
    Ok(tokio::time::timeout(timeout, read).await.map_err(late)??)
}

/// Bytes of a body that are not counted against the room all of them have.
const UNCOUNTED: usize = 1 << 20;
/// The room of all bodies on their way that are longer, in pieces of [`UNCOUNTED`] bytes: each is bounded, and so are they
/// together.
static ROOM: Semaphore = Semaphore::const_new(256);

/// Collects a body that may be long; it is refused when there is no room for the next piece.
async fn collect_counted(mut body: Limited<Body>, limit: usize) -> Result<Bytes, Problem> {
    let (mut bytes, mut room) = (BytesMut::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(&*error, limit))?;
        bytes.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
        while room.len() < bytes.len() / UNCOUNTED {
            let full = |_| Problem::new("too_many_uploads", "too many long bodies are on their way");
            room.push(ROOM.try_acquire().map_err(full)?);
        }
    }
    Ok(bytes.freeze())
}

fn broken(error: &(dyn std::error::Error + Send + Sync + 'static), limit: usize) -> Problem {
    match error.is::<LengthLimitError>() {
        true => Problem::new("body_too_large", format!("the body is longer than {limit} bytes"))
            .details(serde_json::json!({ "limit": limit })),
        false => Problem::new("usage", format!("the body broke off: {error}")),
    }
}

/// Most that is read of a body nobody wants, and how long.
const UNWANTED: (usize, Duration) = (32 << 20, Duration::from_secs(2));

/// Reads on for a moment before somebody is refused who still sends: a connection that closes on unread bytes loses the
/// answer on its way.
pub(super) async fn hear_out(mut body: Body) {
    let (most, patience) = UNWANTED;
    let read = async {
        let mut left = most;
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                return;
            }
        }
    };
    // Whether it came to an end or not, the answer is the same.
    let _ = tokio::time::timeout(patience, read).await;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn chunks(count: usize) -> Body {
        let chunk = Bytes::from(vec![b'x'; UNCOUNTED]);
        Body::from_stream(futures::stream::iter(
            (0..count).map(move |_| Ok::<_, std::io::Error>(chunk.clone())),
        ))
    }

    #[tokio::test]
    async fn long_bodies_share_one_room_and_give_it_back() {
        let read = |count| read_body(chunks(count), None, 64 << 20);
        assert_eq!(read(3).await.unwrap().len(), 3 << 20);
        let taken = ROOM.try_acquire_many(254).unwrap();
        assert_eq!(read(3).await.unwrap_err().problem().code, "too_many_uploads");
        assert_eq!(read(1).await.unwrap().len(), 1 << 20);
        drop(taken);
        assert_eq!(read(3).await.unwrap().len(), 3 << 20);
        let long = read_body(chunks(3), None, 2 << 20).await;
        assert_eq!(long.unwrap_err().problem().code, "body_too_large");
    }
}

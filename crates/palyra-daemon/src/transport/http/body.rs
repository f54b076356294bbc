//! JSON bodies: checked for content type, size, time and shape.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use palyra_api::{Problem, SecretBytes};
use palyra_common::{ErrorCode, SecretValue};
use serde::de::DeserializeOwned;

use super::access::Needs;
use super::answer::{Failure, Json};
use super::route::SMALL_BODY;
use crate::budget::Reservation;
use crate::transport::held_body::HeldBody;

/// Maximum time for a body to arrive, set by the listener; requests of this process have no limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTimeout(pub(crate) Duration);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        decode(&read_json(request).await?).map(Json).map_err(|reason| {
            Problem::new(ErrorCode::Usage, format!("invalid request body: {reason}"))
                .hint("`GET /v1/openapi.json` describes every body")
                .into()
        })
    }
}

/// Parses a JSON object, because serde would also accept a list of the fields without their names.
fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    decode_object(bytes)?.map_err(|error| error.to_string())
}

fn decode_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<serde_json::Result<T>, &'static str> {
    match bytes.trim_ascii_start().first() {
        Some(b'{') => Ok(serde_json::from_slice(bytes)),
        _ => Err("it is not a JSON object"),
    }
}

/// A JSON body with a secret: errors name only the place, never the text.
pub(super) struct Sealed<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sealed<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        let bytes = read_json(request).await?;
        let refused = |reason: String| {
            Problem::new(ErrorCode::Usage, format!("invalid request body: {reason}"))
                .hint("`GET /v1/openapi.json` describes every body")
        };
        let decoded = decode_object(&bytes).map_err(|reason| refused(reason.into()))?;
        let place = |error: serde_json::Error| {
            refused(format!("see line {} column {}", error.line(), error.column())).into()
        };
        decoded.map(Self).map_err(place)
    }
}

/// Decodes a secret in a body.
pub(super) fn open_secret(secret: &SecretBytes) -> Result<SecretValue, Problem> {
    secret.value().map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()))
}

/// A JSON body with its original bytes, for content that is signed.
pub(super) struct Raw(pub(super) Bytes);

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        read_json(request).await.map(Self)
    }
}

/// Reads a body whose content type is JSON.
async fn read_json(request: Request) -> Result<Bytes, Failure> {
    check_type(&request)?;
    let limit = request.extensions().get::<Needs>().map_or(SMALL_BODY, |needs| needs.body_limit);
    read(request, limit).await
}

fn check_type(request: &Request) -> Result<(), Failure> {
    let named = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(Problem::new(
            ErrorCode::UnsupportedMediaType,
            "the request body must be \
                `application/json`",
        )
        .into())
    }
}

/// Reads the whole body for another consumer, within its size and time limits.
pub(super) async fn read_whole(request: Request) -> Result<(Parts, Bytes), Failure> {
    let limit = request.extensions().get::<Needs>().map_or(SMALL_BODY, |needs| needs.body_limit);
    let (parts, body) = request.into_parts();
    let timeout = parts.extensions.get::<BodyTimeout>().copied();
    let bytes = read_body(body, timeout, limit, reservation(&parts.extensions)?).await?;
    Ok((parts, bytes))
}

async fn read(request: Request, limit: usize) -> Result<Bytes, Failure> {
    let (parts, body) = request.into_parts();
    let timeout = parts.extensions.get::<BodyTimeout>().copied();
    read_body(body, timeout, limit, reservation(&parts.extensions)?).await
}

/// Returns the memory reservation of an authenticated request.
pub(super) fn reservation(extensions: &http::Extensions) -> Result<&Reservation, Problem> {
    extensions.get().ok_or_else(|| {
        Problem::new(
            ErrorCode::Internal,
            "a request reached a handler \
        unauthenticated",
        )
    })
}

async fn read_body(
    body: Body,
    timeout: Option<BodyTimeout>,
    limit: usize,
    reservation: &Reservation,
) -> Result<Bytes, Failure> {
    let timeout = timeout.map_or(Duration::MAX, |timeout| timeout.0);
    let read = collect(Limited::new(body, limit), limit, reservation);
    let late = |_| Problem::new(ErrorCode::RequestTimeout, "the request body did not arrive in time");
    Ok(tokio::time::timeout(timeout, read).await.map_err(late)??)
}

/// Collects a body; rejects it as soon as the budget does not permit its next part.
///
/// Parts are copied, because even a short one would keep the whole buffer it was read into.
async fn collect(mut body: Limited<Body>, limit: usize, reservation: &Reservation) -> Result<Bytes, Problem> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(&*error, limit))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.is_empty() && http_body::Body::is_end_stream(&body) {
            reservation.grow_to(data.len())?;
            return Ok(data);
        }
        if bytes.capacity() - bytes.len() < data.len() {
            let needed = bytes.len() + data.len();
            let capacity = needed.max(bytes.capacity().saturating_mul(2)).min(limit.max(needed));
            if let Err(exceeded) = reservation.grow_to(capacity) {
                drop(bytes);
                reservation.set(0);
                hear_out(body).await;
                return Err(exceeded.into());
            }
            bytes.reserve_exact(capacity - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.into())
}

/// Maximum length of responses that are not charged to the budget.
const UNCOUNTED_ANSWER: u64 = 16 << 10;

/// Reserves the memory of a response until its client has read it, and releases that of its request.
///
/// A response of unknown length may still use the request, so it keeps its reservation.
pub(super) fn hold_answer(response: Response, reservation: Reservation) -> Response {
    match http_body::Body::size_hint(response.body()).exact() {
        Some(0..=UNCOUNTED_ANSWER) => return response,
        Some(length) => reservation.set(usize::try_from(length).unwrap_or(usize::MAX)),
        None if reservation.is_empty() => return response,
        None => {}
    }
    response.map(|body| Body::new(HeldBody::new(body, reservation)))
}

fn broken(error: &(dyn std::error::Error + Send + Sync + 'static), limit: usize) -> Problem {
    if error.is::<LengthLimitError>() {
        Problem::new(
            ErrorCode::BodyTooLarge,
            format!(
                "the request body is longer than {limit} \
            bytes"
            ),
        )
        .details(serde_json::json!({ "limit": limit }))
    } else {
        Problem::new(ErrorCode::Usage, format!("the request body ended unexpectedly: {error}"))
    }
}

/// Maximum bytes and time for draining a rejected body.
const UNWANTED: (usize, Duration) = (32 << 20, Duration::from_secs(2));

/// Drains the body for a moment before a rejection, because closing a connection with unread bytes can lose the
/// response.
pub(super) async fn hear_out(mut body: impl http_body::Body<Data = Bytes> + Unpin) {
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
    // The response is the same whether the body ended or not.
    let _ = tokio::time::timeout(patience, read).await;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::budget::{MemoryBudget, PRINCIPAL_BYTES, TOTAL_BYTES};

    const CHUNK: usize = 1 << 20;

    fn chunks(count: usize) -> Body {
        let chunk = Bytes::from(vec![b'x'; CHUNK]);
        Body::from_stream(futures::stream::iter(
            (0..count).map(move |_| Ok::<_, std::io::Error>(chunk.clone())),
        ))
    }

    #[tokio::test]
    async fn bodies_draw_on_one_budget_and_give_it_back() {
        let budget = MemoryBudget::default();
        let read = |principal: &'static str, count, limit| {
            let reservation = budget.open(principal).unwrap();
            async move { read_body(chunks(count), None, limit, &reservation).await }
        };
        assert_eq!(read("a", 3, 64 << 20).await.unwrap().len(), 3 * CHUNK);
        let taken = budget.open("other").unwrap();
        taken.set(TOTAL_BYTES);
        assert_eq!(read("a", 9, 64 << 20).await.unwrap_err().problem().code.as_str(), "too_many_uploads");
        assert_eq!(read("a", 3, 64 << 20).await.unwrap().len(), 3 * CHUNK, "the guaranteed part is left");
        drop(taken);
        assert_eq!(read("a", 9, 64 << 20).await.unwrap().len(), 9 * CHUNK);
        assert_eq!(read("a", 3, 2 << 20).await.unwrap_err().problem().code.as_str(), "body_too_large");
    }

    #[tokio::test]
    async fn answer_over_16_kib_is_charged_until_it_was_read() {
        let budget = MemoryBudget::default();
        let answer = |bytes: usize| {
            let body = Body::from(vec![b'x'; bytes]);
            hold_answer(Response::new(body), budget.open("a").unwrap())
        };
        let fits = || budget.open("a").unwrap().grow_to(PRINCIPAL_BYTES).is_ok();
        let short = answer(16 << 10);
        assert!(fits());
        let long = answer((16 << 10) + 1);
        assert!(!fits());
        drop((short, long));
        assert!(fits());
    }

    #[tokio::test]
    async fn short_bodies_are_counted_too() {
        let budget = MemoryBudget::default();
        let held = budget.open("a").unwrap();
        held.set(PRINCIPAL_BYTES - CHUNK);
        let reservation = budget.open("a").unwrap();
        let one = read_body(Body::from(vec![b'x'; CHUNK]), None, 64 << 20, &reservation);
        assert_eq!(one.await.unwrap().len(), CHUNK);
        assert!(budget.open("a").is_err());
    }

    #[tokio::test]
    async fn unread_answers_are_counted_until_they_are_sent() {
        let budget = MemoryBudget::default();
        let answer = |length| {
            let reservation = budget.open("a").unwrap();
            hold_answer(Response::new(Body::from(vec![b'x'; length])), reservation)
        };
        let held = budget.open("a").unwrap();
        held.set(PRINCIPAL_BYTES - 3 * CHUNK);
        let waiting: Vec<Response> = (0..3).map(|_| answer(CHUNK)).collect();
        assert!(budget.open("a").is_err());
        for response in waiting {
            assert_eq!(response.into_body().collect().await.unwrap().to_bytes().len(), CHUNK);
        }
        assert!(budget.open("a").is_ok());
    }
}

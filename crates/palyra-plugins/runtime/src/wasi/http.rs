//! `wasi:http`: the same guard, the same tape, whole bodies in fixed pieces.

use crate::run_context::{
    Blob, HostFailure, HttpAnswer, HttpHeader, HttpOutgoing, RunContext, Step, taped_bytes,
};
use crate::tape::Begun;
use bytes::Bytes;
use http_body_util::{BodyExt, Limited, StreamBody};
use palyra_common::LimitKind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

const OP: &str = "wasi.http";
/// Bodies are handed out in pieces of this size, live and on replay.
const CHUNK: usize = 64 << 10;

/// Sends what `wasi:http/outgoing-handler` is asked to send.
pub(super) struct HttpHooks {
    run: Arc<RunContext>,
}

impl HttpHooks {
    pub(super) fn new(run: &Arc<RunContext>) -> Self {
        Self { run: Arc::clone(run) }
    }
}

type Processed = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Sent = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Processed), Error>> + Send>;

impl WasiHttpHooks for HttpHooks {
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Processed,
    ) -> Sent {
        let run = Arc::clone(&self.run);
        let (parts, body) = request.into_parts();
        let head = outgoing_head(&parts, options.as_ref());
        // The step is put on the tape now, in the order of the guest's calls; its answer comes later.
        let begun =
            run.count(OP, format!("{} {}", head.method, run.secrets.redact_text(&head.url))).map(|step| {
                let taped = run
                    .secrets
                    .redact_value(json!({ "method": head.method, "url": head.url, "headers": head.headers }));
                (step, run.changing().tape.begin(OP, taped))
            });
        Box::new(async move {
            let answer = match begun {
                Ok((step, begun)) => finish(&run, step, begun, head, body).await,
                Err(failure) => Err(failure),
            };
            answer.map(|answer| (response(answer), Box::new(async { Ok(()) }) as Processed)).map_err(to_error)
        })
    }
}

/// What the tape holds of an exchange: the body came after the step began.
#[derive(Serialize, Deserialize)]
struct Taped {
    body: Value,
    answer: Result<HttpAnswer, HostFailure>,
}

async fn finish(
    run: &RunContext,
    step: Step,
    begun: Begun,
    mut head: HttpOutgoing,
    body: WasiBody,
) -> Result<HttpAnswer, HostFailure> {
    let answer = match collect(run, body).await {
        Ok(body) => {
            let taped_body = taped_bytes(&run.secrets.redact_bytes(body.clone()));
            head.body = body;
            exchange(run, begun, head, taped_body).await
        }
        Err(failure) => Err(failure),
    };
    run.note(step, answer)
}

async fn exchange(
    run: &RunContext,
    begun: Begun,
    head: HttpOutgoing,
    body: Value,
) -> Result<HttpAnswer, HostFailure> {
    match begun {
        Begun::Live(index) => {
            let answer = run.http_exchange(run.grants.http(), head, Vec::new()).await;
            let taped = Taped { body, answer };
            run.changing().tape.answer(index, serde_json::to_value(&taped).unwrap_or(Value::Null));
            taped.answer
        }
        Begun::Replayed(index, value) => match serde_json::from_value::<Taped>(value) {
            Ok(taped) if taped.body == body => taped.answer,
            Ok(taped) => {
                run.changing().tape.diverge(index, "request", taped.body.to_string(), body.to_string());
                Err(HostFailure::Stopped)
            }
            Err(error) => {
                run.changing().tape.diverge(
                    index,
                    "answer",
                    "an answer of wasi:http".into(),
                    error.to_string(),
                );
                Err(HostFailure::Stopped)
            }
        },
        Begun::Stopped => Err(HostFailure::Stopped),
    }
}

fn outgoing_head(parts: &http::request::Parts, options: Option<&RequestOptions>) -> HttpOutgoing {
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| HttpHeader {
        name: name.as_str().to_owned(),
        // ISO-8859-1: every byte is a character.
        value: value.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
    };
    let timeout = options.and_then(|options| options.first_byte_timeout);
    HttpOutgoing {
        method: parts.method.as_str().to_owned(),
        url: parts.uri.to_string(),
        headers: parts.headers.iter().map(header).collect(),
        body: Vec::new(),
        secrets: Vec::new(),
        timeout_ms: timeout.map(|timeout| u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX)),
    }
}

async fn collect(run: &RunContext, body: WasiBody) -> Result<Vec<u8>, HostFailure> {
    let allowed = run.limits.max_egress_bytes;
    let cap = usize::try_from(allowed).unwrap_or(usize::MAX);
    match Limited::new(body, cap).collect().await {
        Ok(collected) => Ok(collected.to_bytes().to_vec()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(HostFailure::Quota { limit: LimitKind::Egress, allowed, used: allowed.saturating_add(1) })
        }
        Err(error) => Err(HostFailure::Invalid(format!("the request body was not finished: {error}"))),
    }
}

fn response(answer: HttpAnswer) -> http::Response<WasiBody> {
    let Blob(body) = answer.body;
    let body = Bytes::from(body);
    let piece = |start: usize| Ok(http_body::Frame::data(body.slice(start..body.len().min(start + CHUNK))));
    let frames = (0..body.len()).step_by(CHUNK).map(piece).collect::<Vec<Result<_, Error>>>();
    let body = StreamBody::new(futures::stream::iter(frames)).boxed_unsync();
    let mut response = http::Response::new(body);
    *response.status_mut() =
        http::StatusCode::from_u16(answer.status).unwrap_or(http::StatusCode::BAD_GATEWAY);
    for HttpHeader { name, value } in answer.headers {
        let bytes: Vec<u8> = value.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
        if let (Ok(name), Ok(value)) =
            (http::HeaderName::try_from(name), http::HeaderValue::from_bytes(&bytes))
        {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn to_error(failure: HostFailure) -> Error {
    match failure {
        HostFailure::Denied(_) => Error::HttpRequestDenied,
        HostFailure::Quota { .. } => Error::HttpResponseBodySize(None),
        HostFailure::Invalid(_) => Error::HttpRequestUriInvalid,
        HostFailure::TimedOut => Error::HttpResponseTimeout,
        HostFailure::Unavailable(_) => Error::DestinationUnavailable,
        HostFailure::Stopped => Error::InternalError(Some("the replay stopped".into())),
    }
}

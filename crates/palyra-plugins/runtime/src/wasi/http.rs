//! `wasi:http` over the same guard and tape as `http`, with whole bodies in parts of fixed size.

use crate::meter::HeldBytes;
use crate::run_context::{
    BegunStep, Blob, HostFailure, HttpAnswer, HttpHeader, HttpOutgoing, RunContext, Step, taped_bytes,
};
use bytes::Bytes;
use http_body_util::{BodyExt, StreamBody};
use palyra_common::LimitKind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

const OP: &str = "wasi.http";
/// Size of the parts in which bodies are written and read, live and in replays.
pub(super) const CHUNK: usize = 64 << 10;
/// Number of parts of an outgoing body that wait to be sent. The library has space for one more.
const WAITING_CHUNKS: usize = 1;
/// Maximum memory of an outgoing body before it is sent: its parts and trailers, in bytes.
pub(super) const OUTGOING_BODY_BYTES: usize = (WAITING_CHUNKS + 1) * CHUNK + MAX_FIELD_BYTES;
/// Maximum size of one set of header fields, in bytes.
pub(super) const MAX_FIELD_BYTES: usize = 64 << 10;

/// Sends the requests of `wasi:http/outgoing-handler`.
pub(super) struct HttpHooks {
    run: Arc<RunContext>,
    /// The memory held by the request that is about to be sent.
    pub(super) sending: Option<HeldBytes>,
}

impl HttpHooks {
    pub(super) fn new(run: &Arc<RunContext>) -> Self {
        Self { run: Arc::clone(run), sending: None }
    }
}

type Processed = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Sent = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Processed), Error>> + Send>;

impl WasiHttpHooks for HttpHooks {
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn p2_outgoing_body_buffer_chunks(&mut self) -> usize {
        WAITING_CHUNKS
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Processed,
    ) -> Sent {
        let run = Arc::clone(&self.run);
        let held = self.sending.take();
        let (parts, body) = request.into_parts();
        let head = outgoing_head(&parts, options.as_ref());
        // The step is put on the tape now, in the order of the guest's calls; its answer follows later.
        let begun = run
            .count(OP, format!("{} {}", head.method, run.secrets.redact_text(&head.url)))
            .and_then(|step| {
                let taped = json!({ "method": head.method, "url": head.url, "headers": head.headers });
                Ok((step, run.begin(OP, taped)?))
            });
        Box::new(async move {
            let answer = match begun {
                Ok((step, begun)) => finish(&run, step, begun, head, body).await,
                Err(failure) => Err(failure),
            };
            // The request was sent, so its memory is released; the body of the response holds its own.
            drop(held);
            let (answer, held) = answer.map_err(to_error)?;
            Ok((response(answer, held), Box::new(async { Ok(()) }) as Processed))
        })
    }
}

/// The exchange as recorded on the tape; the body of the request is read after the step started.
#[derive(Serialize, Deserialize)]
struct Taped {
    body: Value,
    answer: Result<HttpAnswer, HostFailure>,
}

async fn finish(
    run: &RunContext,
    step: Step,
    begun: BegunStep,
    mut head: HttpOutgoing,
    body: WasiBody,
) -> Result<(HttpAnswer, HeldBytes), HostFailure> {
    let answer = match collect(run, body).await {
        Ok((body, _held)) => {
            let taped_body = taped_bytes(&run.secrets.redact_bytes(body.clone()));
            head.body = body;
            exchange(run, begun, head, taped_body).await
        }
        Err(failure) => Err(failure),
    };
    let answer = answer.and_then(|answer| {
        let held = run.hold(answer.body.0.len())?;
        Ok((answer, held))
    });
    run.note(step, answer)
}

async fn exchange(
    run: &RunContext,
    begun: BegunStep,
    head: HttpOutgoing,
    body: Value,
) -> Result<HttpAnswer, HostFailure> {
    match begun {
        BegunStep::Live(index) => {
            let answer = run.http_exchange(run.grants.http(), head, Vec::new()).await;
            let taped = Taped { body, answer };
            run.settle_as(index, serde_json::to_value(&taped).unwrap_or(Value::Null), |failure| {
                let taped = Taped { body: taped.body.clone(), answer: Err(failure.clone()) };
                serde_json::to_value(taped).unwrap_or(Value::Null)
            })?;
            taped.answer
        }
        BegunStep::Replayed(index, value) => match serde_json::from_value::<Taped>(value) {
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

/// Reads a whole body, counting each frame when it arrives.
async fn collect(run: &RunContext, mut body: WasiBody) -> Result<(Vec<u8>, HeldBytes), HostFailure> {
    let allowed = run.limits.max_egress_bytes;
    let (mut bytes, mut held) = (Vec::new(), run.hold(0)?);
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| HostFailure::Invalid(format!("the request body was not finished: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        let used = (bytes.len() as u64).saturating_add(data.len() as u64);
        if used > allowed {
            return Err(HostFailure::Quota { limit: LimitKind::Egress, allowed, used });
        }
        bytes.extend_from_slice(&data);
        run.resize(&mut held, bytes.capacity())?;
    }
    Ok((bytes, held))
}

fn response(answer: HttpAnswer, held: HeldBytes) -> http::Response<WasiBody> {
    let Blob(body) = answer.body;
    let body = Bytes::from(body);
    let pieces = (0..body.len()).step_by(CHUNK).map(move |start| {
        // The memory is counted until no piece can be requested any more.
        let _held = &held;
        Ok::<_, Error>(http_body::Frame::data(body.slice(start..body.len().min(start + CHUNK))))
    });
    let body = StreamBody::new(futures::stream::iter(pieces)).boxed_unsync();
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
        HostFailure::Unavailable(_) | HostFailure::File(_) => Error::DestinationUnavailable,
        HostFailure::Stopped => Error::InternalError(Some("the replay stopped".into())),
    }
}

//! One attempt of a request: sends it through the egress guard and reads the response as it arrives.

use crate::error::{ModelError, TimeoutPhase};
use crate::event::ModelEvent;
use crate::failure::{failure_of_response, retry_after};
use crate::http_provider::{ProviderKey, Timeouts};
use crate::limits::{MAX_ERROR_BODY_BYTES, MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, MAX_TEXT_BYTES};
use crate::protocol::Protocol;
use crate::request::ModelRequest;
use crate::stream::AnswerReader;
use bytes::Bytes;
use futures::SinkExt;
use futures::channel::mpsc;
use palyra_common::capabilities::{HostPattern, HttpRule, SecretGrant};
use palyra_common::time::unix_time_ms;
use palyra_egress::{
    ByteBudget, EgressContext, EgressError, EgressGuard, Injection, IpNet, OutgoingRequest, Redactor,
    StreamingResponse,
};
use std::collections::BTreeSet;
use tokio::time::{Instant, timeout_at};

/// The data of a request that all of its attempts share.
pub(crate) struct Exchange {
    pub(crate) guard: EgressGuard,
    pub(crate) rule: HttpRule,
    pub(crate) url: String,
    pub(crate) protocol: Protocol,
    pub(crate) host: HostPattern,
    pub(crate) open_addresses: Vec<IpNet>,
    pub(crate) key: Option<ProviderKey>,
    pub(crate) timeouts: Timeouts,
    pub(crate) body: Bytes,
    pub(crate) request: ModelRequest,
}

/// The owner of the connections in the egress guard.
const OWNER: &str = "palyra:models";

type Events = mpsc::Sender<Result<ModelEvent, ModelError>>;

impl Exchange {
    /// Sends the request and forwards the events of its response. Sets `begun` when the first one was forwarded.
    pub(crate) async fn run(&self, events: &mut Events, begun: &mut bool) -> Result<(), ModelError> {
        let redactor = Redactor::new(self.key.iter().map(|key| &key.value));
        let outcome = self.send(&redactor, events, begun).await;
        outcome.map_err(|error| error.cleaned(&redactor))
    }

    async fn send(
        &self,
        redactor: &Redactor,
        events: &mut Events,
        begun: &mut bool,
    ) -> Result<(), ModelError> {
        let injections = self.injections();
        let budget = ByteBudget::new(MAX_RESPONSE_BYTES + MAX_REQUEST_BYTES as u64 + (1 << 20));
        let context = EgressContext {
            owner: OWNER,
            allow_addresses: &self.open_addresses,
            injections: &injections,
            guarded: &[],
            budget: &budget,
        };
        let first_byte = Instant::now() + self.timeouts.first_byte;
        let rules = std::slice::from_ref(&self.rule);
        let request = self.guard.authorize(rules, self.outgoing()).map_err(refused)?;
        let opened = timeout_at(first_byte, self.guard.open(request, &context)).await;
        let late = ModelError::TimedOut { phase: TimeoutPhase::FirstByte };
        let response = opened.map_err(|_| late)?.map_err(refused)?;
        let mut body = Body { response, first_byte, begun: false, timeouts: self.timeouts };
        if body.response.status() != 200 {
            return Err(body.failure().await);
        }
        let mut reader = AnswerReader::new(self.protocol, &self.request, redactor.clone());
        match body.response.header("content-type").unwrap_or_default().split(';').next() {
            Some("application/json") => {
                let whole = body.read_up_to(MAX_TEXT_BYTES).await?;
                let mut ready = Vec::new();
                let result = reader.whole(&whole, &mut ready);
                pass_on(ready, events, begun).await;
                result
            }
            Some("text/html" | "text/plain") => {
                let reason = "the response is a page instead of an event stream".to_owned();
                Err(ModelError::MalformedFrame { frame: 1, reason })
            }
            _ => stream_events(body, reader, events, begun).await,
        }
    }

    fn outgoing(&self) -> OutgoingRequest {
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "text/event-stream, application/json".to_owned()),
            ("user-agent".to_owned(), concat!("palyra/", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        headers.extend(self.protocol.headers());
        OutgoingRequest {
            method: "POST".to_owned(),
            url: self.url.clone(),
            headers,
            body: self.body.clone(),
            timeout: None,
        }
    }

    fn injections(&self) -> Vec<Injection> {
        let injection = |key: &ProviderKey| {
            let form = self.protocol.key_form();
            let inject = BTreeSet::from([form.granted_as()]);
            let grant = SecretGrant::new(key.name.clone(), vec![self.host.clone()], inject, false);
            Injection { grant, form, value: key.value.clone() }
        };
        self.key.iter().map(injection).collect()
    }
}

/// Forwards events until the response ends.
async fn stream_events(
    mut body: Body<'_>,
    mut reader: AnswerReader,
    events: &mut Events,
    begun: &mut bool,
) -> Result<(), ModelError> {
    loop {
        let mut ready = Vec::new();
        let result = match body.next().await {
            Ok(Some(piece)) => reader.push(&piece, &mut ready),
            Ok(None) => reader.finish(&mut ready),
            // A response whose end was announced is complete, even if the connection fails afterwards.
            Err(error) => reader.finish(&mut ready).map_err(|_| error),
        };
        pass_on(ready, events, begun).await;
        result?;
        if reader.is_finished() {
            return Ok(());
        }
    }
}

/// Forwards events. Sets `begun` if there is at least one.
async fn pass_on(ready: Vec<ModelEvent>, events: &mut Events, begun: &mut bool) {
    for event in ready {
        *begun = true;
        // The stream and this future are dropped together, so a send without a receiver needs no handling.
        drop(events.send(Ok(event)).await);
    }
}

/// The body of a response with its time limits.
struct Body<'b> {
    response: StreamingResponse<'b>,
    first_byte: Instant,
    begun: bool,
    timeouts: Timeouts,
}

impl Body<'_> {
    async fn next(&mut self) -> Result<Option<Bytes>, ModelError> {
        let (phase, deadline) = if self.begun {
            (TimeoutPhase::Idle, Instant::now() + self.timeouts.idle)
        } else {
            (TimeoutPhase::FirstByte, self.first_byte)
        };
        let next = timeout_at(deadline, self.response.next()).await;
        let piece = next.map_err(|_| ModelError::TimedOut { phase })?.map_err(refused)?;
        self.begun = true;
        Ok(piece)
    }

    /// Reads the whole body. Fails if it is larger than `allowed`.
    async fn read_up_to(&mut self, allowed: usize) -> Result<Vec<u8>, ModelError> {
        let mut whole = Vec::new();
        while let Some(piece) = self.next().await? {
            if whole.len() + piece.len() > allowed {
                return Err(ModelError::LimitReached { what: "response bytes", allowed: allowed as u64 });
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// Returns the error for a response without success. A body that is too large or incomplete is used as far as
    /// received.
    async fn failure(&mut self) -> ModelError {
        let status = self.response.status();
        let wait = self.response.header("retry-after").and_then(|value| retry_after(value, unix_time_ms()));
        let mut body = Vec::new();
        while let Ok(Some(piece)) = self.next().await {
            body.extend_from_slice(&piece);
            if body.len() >= MAX_ERROR_BODY_BYTES {
                break;
            }
        }
        failure_of_response(status, wait, &body)
    }
}

/// Converts an error of the egress guard to one of a model request.
fn refused(error: EgressError) -> ModelError {
    match error {
        EgressError::Denied(denial) => ModelError::EgressDenied(denial),
        EgressError::Quota { allowed, .. } => ModelError::LimitReached { what: "bytes on the wire", allowed },
        EgressError::InvalidRequest(reason) => ModelError::InvalidRequest { reason },
        EgressError::TimedOut => ModelError::TimedOut { phase: TimeoutPhase::Total },
        EgressError::Unavailable(reason) => ModelError::Unreachable { reason },
    }
}

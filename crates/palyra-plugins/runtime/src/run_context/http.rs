//! `http.send`, and the same for `wasi:http`: everything goes through the egress guard.

use super::{Blob, HostFailure, RunContext, taped_bytes};
use palyra_common::capabilities::HttpRule;
use palyra_common::limits::MAX_MASKED_RESPONSES;
use palyra_common::{CapabilityKind, Denial, LimitKind};
use palyra_egress::{EgressContext, EgressError, Injection, InjectionForm, OutgoingRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// A request as the guest makes it.
#[derive(Debug, Clone)]
pub(crate) struct HttpOutgoing {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) headers: Vec<HttpHeader>,
    pub(crate) body: Vec<u8>,
    pub(crate) secrets: Vec<HttpSecret>,
    pub(crate) timeout_ms: Option<u32>,
}

/// A header line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpHeader {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A secret to inject.
#[derive(Debug, Clone)]
pub(crate) struct HttpSecret {
    pub(crate) handle: i32,
    pub(crate) form: InjectionForm,
}

/// A response as the guest sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<HttpHeader>,
    pub(crate) body: Blob,
}

impl RunContext {
    /// Sends a request under the rule behind a handle. The other rules are tried after it, because a guest with one
    /// handle can request all of them.
    pub(crate) async fn http_send(
        &self,
        handle: i32,
        request: HttpOutgoing,
    ) -> Result<HttpAnswer, HostFailure> {
        let op = "http.send";
        let rules = if handle == -1 {
            // The missing grant was already reported by `find`; the egress guard explains it for this request.
            self.grants.http().to_vec()
        } else {
            let index = self.resolve(op, handle, CapabilityKind::Http, &request.url)?;
            let mut rules = vec![self.grants.http()[index].clone()];
            rules.extend(
                self.grants
                    .http()
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i != index)
                    .map(|(_, rule)| rule.clone()),
            );
            rules
        };
        let injections = self.injections(op, &request.secrets)?;
        let taped = self.taped_request(&request);
        let subject = format!("{} {}", request.method, self.secrets.redact_text(&request.url));
        self.step(op, subject, taped, self.http_exchange(&rules, request, injections)).await
    }

    /// Sends a request through the egress guard, under the first rule that covers it.
    pub(crate) async fn http_exchange(
        &self,
        rules: &[HttpRule],
        request: HttpOutgoing,
        injections: Vec<Injection>,
    ) -> Result<HttpAnswer, HostFailure> {
        let guard = self.services.egress.as_ref();
        let guard = guard.ok_or_else(|| HostFailure::Unavailable("this run has no network access".into()))?;
        let outgoing = OutgoingRequest {
            method: request.method,
            url: request.url,
            headers: request.headers.into_iter().map(|header| (header.name, header.value)).collect(),
            body: request.body.into(),
            timeout: request.timeout_ms.map(|ms| Duration::from_millis(ms.into())),
        };
        // A denied URL may contain a revealed secret.
        let authorized =
            guard.authorize(rules, outgoing).map_err(|error| self.secrets.redact_error(error))?;
        let context = EgressContext {
            owner: &self.owner,
            allow_addresses: &self.allow_addresses,
            injections: &injections,
            guarded: &self.secrets.guarded,
            budget: &self.budget,
        };
        let response = guard.send(authorized, &context).await?;
        if response.masked {
            self.count_masked_response()?;
        }
        let headers = response.headers.into_iter().map(|(name, value)| HttpHeader { name, value }).collect();
        Ok(HttpAnswer { status: response.status, headers, body: Blob(response.body.to_vec()) })
    }

    /// Counts a response that held a secret, and fails above a limit.
    ///
    /// A guest could otherwise find a secret by sending guesses to a host that reflects it.
    fn count_masked_response(&self) -> Result<(), HostFailure> {
        let masked = {
            let mut changing = self.changing();
            changing.masked_responses = changing.masked_responses.saturating_add(1);
            changing.masked_responses
        };
        if masked <= MAX_MASKED_RESPONSES {
            return Ok(());
        }
        Err(HostFailure::Denied(Denial {
            kind: CapabilityKind::Secret,
            subject: "HTTP responses".into(),
            reason: format!("more than {MAX_MASKED_RESPONSES} responses of the run held a secret"),
            grant: None,
            manifest: None,
        }))
    }

    fn injections(&self, op: &'static str, secrets: &[HttpSecret]) -> Result<Vec<Injection>, HostFailure> {
        let mut injections = Vec::with_capacity(secrets.len().min(16));
        for secret in secrets {
            let grant = self.secret_grant(op, secret.handle)?.clone();
            let value = match (self.secrets.value(&grant.secret), self.is_replay) {
                (Some(value), _) => value.clone(),
                // A replay sends nothing, so it needs no value.
                (None, true) => palyra_common::SecretValue::new(Vec::new()),
                (None, false) => {
                    let reason = format!("the secret `{}` is granted but not stored", grant.secret);
                    return Err(HostFailure::Unavailable(reason));
                }
            };
            injections.push(Injection { grant, form: secret.form.clone(), value });
        }
        Ok(injections)
    }

    fn taped_request(&self, request: &HttpOutgoing) -> Value {
        let secrets: Vec<String> =
            request.secrets.iter().map(|secret| format!("{:?}", secret.form)).collect();
        json!({
            "method": request.method,
            "url": request.url,
            "headers": request.headers,
            "body": taped_bytes(&self.secrets.redact_bytes(request.body.clone())),
            "secrets": secrets,
            "timeout_ms": request.timeout_ms,
        })
    }
}

impl From<EgressError> for HostFailure {
    fn from(error: EgressError) -> Self {
        match error {
            EgressError::Denied(denial) => Self::Denied(denial),
            EgressError::Quota { allowed, used } => Self::Quota { limit: LimitKind::Egress, allowed, used },
            EgressError::InvalidRequest(reason) => Self::Invalid(reason),
            EgressError::TimedOut => Self::TimedOut,
            EgressError::Unavailable(reason) => Self::Unavailable(reason),
        }
    }
}

//! Secrets of a run: the host uses their values; a guest gets one only under a grant with `reveal`.

use super::{BegunStep, Blob, HostFailure, RunContext};
use crate::backends::{BackendError, SecretStore};
use hmac::{Hmac, KeyInit, Mac};
use palyra_common::capabilities::{SecretGrant, SecretRef};
use palyra_common::{Capability, CapabilityGrantSet, CapabilityKind, Denial, SecretValue};
use palyra_egress::{EgressError, GuardedSecret, Redactor};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The values of all granted secrets, with a redactor for them.
#[derive(Default)]
pub(crate) struct GuardedSecrets {
    pub(crate) guarded: Vec<GuardedSecret>,
    redactor: Option<Redactor>,
}

impl GuardedSecrets {
    /// Fetches every granted secret that is stored; a missing one fails when it is used.
    pub(crate) async fn fetch(
        grants: &CapabilityGrantSet,
        store: &dyn SecretStore,
    ) -> Result<Self, BackendError> {
        let mut guarded: Vec<GuardedSecret> = Vec::new();
        for grant in grants.secrets() {
            let hosts = if grant.reveal { grant.hosts().to_vec() } else { Vec::new() };
            if let Some(known) = guarded.iter_mut().find(|known| known.reference == grant.secret) {
                known.reveal_to.extend(hosts);
            } else if let Some(value) = store.get(&grant.secret).await? {
                guarded.push(GuardedSecret { reference: grant.secret.clone(), value, reveal_to: hosts });
            }
        }
        let redactor = (!guarded.is_empty()).then(|| Redactor::new(guarded.iter().map(|known| &known.value)));
        Ok(Self { guarded, redactor })
    }

    pub(crate) fn value(&self, secret: &SecretRef) -> Option<&SecretValue> {
        self.guarded.iter().find(|known| known.reference == *secret).map(|known| &known.value)
    }

    pub(crate) fn redact_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let Some(redactor) = &self.redactor else { return bytes };
        match redactor.redact(&bytes) {
            Cow::Borrowed(_) => bytes,
            Cow::Owned(clean) => clean,
        }
    }

    pub(crate) fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redactor.as_ref().map(|redactor| redactor.redact(text.as_bytes())) {
            Some(Cow::Owned(clean)) => Cow::Owned(String::from_utf8_lossy(&clean).into_owned()),
            _ => Cow::Borrowed(text),
        }
    }

    /// Returns the secret that the bytes contain, in any encoding of the redactor.
    pub(crate) fn found_in(&self, bytes: &[u8]) -> Option<&SecretRef> {
        let index = self.redactor.as_ref()?.find_secret(bytes)?;
        self.guarded.get(index).map(|secret| &secret.reference)
    }

    pub(crate) fn redact_error(&self, error: EgressError) -> EgressError {
        match &self.redactor {
            Some(redactor) => error.redacted(redactor),
            None => error,
        }
    }

    pub(crate) fn redact_value(&self, value: Value) -> Value {
        if self.redactor.is_none() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.redact_text(&text).into_owned()),
            Value::Array(items) => items.into_iter().map(|item| self.redact_value(item)).collect(),
            Value::Object(fields) => {
                let field = |(key, value): (String, Value)| {
                    (self.redact_text(&key).into_owned(), self.redact_value(value))
                };
                fields.into_iter().map(field).collect()
            }
            other => other,
        }
    }
}

impl RunContext {
    /// Returns the value of a secret, under a grant with `reveal` only.
    ///
    /// The tape holds a keyed digest, so a replay needs the same value in its own store.
    pub(crate) fn secret_reveal(&self, handle: i32) -> Result<Vec<u8>, HostFailure> {
        let op = "secrets.reveal";
        let grant = self.secret_grant(op, handle)?;
        if !grant.reveal {
            return self.refuse(op, reveal_denial(grant));
        }
        let name = grant.secret.to_string();
        let step = self.count(op, name.clone())?;
        let value = self.secrets.value(&grant.secret);
        let answer = match self.begin(op, json!({ "secret": name })) {
            Ok(BegunStep::Live(index)) => {
                let taped = value.ok_or_else(|| not_kept(&name)).and_then(|value| self.digest(value));
                self.settle(index, taped).and_then(|_| value.ok_or_else(|| not_kept(&name)))
            }
            Ok(BegunStep::Replayed(index, answer)) => self.replay_reveal(index, answer, value),
            Err(failure) => Err(failure),
        };
        self.note(step, answer.map(|value| value.expose().to_vec()))
    }

    /// Denies bytes of the guest that contain a secret. Masking the secret instead would let a guest that guesses find
    /// out which guess was right.
    pub(crate) fn check_no_secret(
        &self,
        op: &'static str,
        place: &str,
        bytes: &[u8],
    ) -> Result<(), HostFailure> {
        match self.secrets.found_in(bytes) {
            None => Ok(()),
            Some(secret) => self.refuse(op, placed_denial(secret, place)),
        }
    }

    /// Returns the grant behind a secret handle.
    pub(crate) fn secret_grant(&self, op: &'static str, handle: i32) -> Result<&SecretGrant, HostFailure> {
        let index = self.resolve(op, handle, CapabilityKind::Secret, "")?;
        Ok(&self.grants.secrets()[index])
    }

    fn replay_reveal<'a>(
        &self,
        index: usize,
        answer: Value,
        value: Option<&'a SecretValue>,
    ) -> Result<&'a SecretValue, HostFailure> {
        let taped: Blob = self.read_answer(index, answer)?;
        match value {
            Some(value) if self.digest(value)? == taped => Ok(value),
            other => {
                let found = if other.is_some() { "another value" } else { "no such secret" };
                self.changing().tape.diverge(index, "secret", "the revealed value".into(), found.into());
                Err(HostFailure::Stopped)
            }
        }
    }

    fn digest(&self, value: &SecretValue) -> Result<Blob, HostFailure> {
        let mac = Hmac::<sha2::Sha256>::new_from_slice(&self.tape_key);
        let mut mac = mac.map_err(|error| HostFailure::Unavailable(error.to_string()))?;
        mac.update(value.expose());
        Ok(Blob(mac.finalize().into_bytes().to_vec()))
    }
}

fn not_kept(name: &str) -> HostFailure {
    HostFailure::Unavailable(format!("the secret `{name}` is granted but not stored"))
}

fn placed_denial(secret: &SecretRef, place: &str) -> Denial {
    Denial {
        kind: CapabilityKind::Secret,
        subject: secret.to_string(),
        reason: format!("the guest put its value into {place}"),
        grant: None,
        manifest: None,
    }
}

fn reveal_denial(grant: &SecretGrant) -> Denial {
    let wanted = SecretGrant::new(grant.secret.clone(), grant.hosts().to_vec(), grant.inject().clone(), true);
    Denial {
        kind: CapabilityKind::Secret,
        subject: grant.secret.to_string(),
        reason: "the grant does not have `reveal`".into(),
        grant: Some(Capability::Secret(wanted).to_string()),
        manifest: Some(format!("set `reveal = true` for `{}` in `[[capabilities.secrets]]`", grant.secret)),
    }
}

//! The search for secrets in a guest's request, before the host injects any.

use super::{GuardedSecret, Injection, InjectionForm};
use crate::denial;
use crate::error::EgressError;
use crate::redactor::Redactor;
use crate::request::AuthorizedRequest;

/// A request in which the guest placed no secret that it may not place there.
pub(crate) struct ScannedRequest(pub(crate) AuthorizedRequest);

/// Searches every part the guest chose.
///
/// `redactor` searches for the values of `guarded` first, in their order, and then for any others.
pub(crate) async fn scan(
    request: AuthorizedRequest,
    injections: &[Injection],
    guarded: &[GuardedSecret],
    redactor: &Redactor,
) -> Result<ScannedRequest, EgressError> {
    if guarded.is_empty() {
        return Ok(ScannedRequest(request));
    }
    let host = &request.target.host;
    let counts = |index: usize| {
        guarded.get(index).is_some_and(|secret| !secret.reveal_to.iter().any(|pattern| pattern.matches(host)))
    };
    let places = places(&request, injections);
    // One search over everything but the body is far cheaper than one per line; a hit is then looked for again.
    let together = join(&places);
    let suspicious = redactor.find(&together, counts).is_some();
    let mut found = None;
    for (place, bytes) in places.iter().filter(|_| suspicious) {
        found = found.or_else(|| redactor.find(bytes, counts).map(|index| (*place, index)));
    }
    if found.is_none() {
        found = redactor.find_in_body(&request.body, counts).await.map(|index| ("body", index));
    }
    match found.and_then(|(place, index)| Some((place, guarded.get(index)?))) {
        Some((place, secret)) => Err(EgressError::Denied(denial::leak(&secret.reference, host, place))),
        None => Ok(ScannedRequest(request)),
    }
}

/// Returns every part of the head that the guest chose, with its name for messages.
fn places<'r>(request: &'r AuthorizedRequest, injections: &'r [Injection]) -> Vec<(&'static str, &'r [u8])> {
    let mut places = vec![
        ("method", request.method.as_str().as_bytes()),
        ("URL", request.target.spelled().as_bytes()),
        ("URL", request.target.url().as_bytes()),
    ];
    for (name, value) in &request.headers {
        places.extend([("headers", name.as_str().as_bytes()), ("headers", value.as_bytes())]);
    }
    for injection in injections {
        if let InjectionForm::BasicPassword { username } = &injection.form {
            places.push(("user name", username.as_bytes()));
        }
    }
    places
}

fn join(places: &[(&str, &[u8])]) -> Vec<u8> {
    let mut together = Vec::with_capacity(places.iter().map(|(_, bytes)| bytes.len() + 1).sum());
    for (_, bytes) in places {
        together.extend_from_slice(bytes);
        together.push(b'\n');
    }
    together
}

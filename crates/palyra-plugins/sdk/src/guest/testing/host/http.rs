//! The interface `http` of the harness.

use super::super::http_rule::HttpRule;
use super::super::secret_grant::form_text;
use super::super::state::{SentRequest, State};
use super::super::url::{self, Url, UrlError};
use super::with;
use crate::guest::http::SecretForm;
use crate::guest::raw::http::{Header, Request, Response};
use crate::guest::raw::types::{CapabilityKind, HostError};

/// Headers that only the host may set.
const HOST_HEADERS: [&str; 10] = [
    "host",
    "connection",
    "content-length",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
    "http2-settings",
];

/// Checks the request as the real host does and returns the prepared response.
pub fn send(handle: i32, request: &Request) -> Result<Response, HostError> {
    with(|state| {
        let url = read_url(state, &request.url)?;
        let rule = rule_of(state, handle, request)?;
        let rule = covering_rule(state, rule, request, &url)?;
        check_headers(&request.headers)?;
        let secrets = check_secrets(state, request, &url)?;
        check_leaks(state, request, &url)?;
        count_bytes(state, rule, "request", request.body.as_ref().map_or(0, Vec::len), |rule| {
            rule.request_bytes
        })?;
        state.requests.push(sent(request, secrets));
        let response = answer(state, request)?;
        count_bytes(state, rule, "response", response.body.len(), |rule| rule.response_bytes)?;
        Ok(response)
    })
}

fn read_url(state: &mut State, text: &str) -> Result<Url, HostError> {
    url::parse(text).map_err(|error| match error {
        UrlError::Ambiguous(reason) => state.deny(format!("`{text}`: {reason}")),
        UrlError::Invalid(reason) => HostError::InvalidArgument(format!("`{text}`: {reason}")),
    })
}

/// Names the missing grant when there was no handle to find.
fn rule_of(state: &mut State, handle: i32, request: &Request) -> Result<usize, HostError> {
    if handle == crate::abi::NOT_GRANTED {
        let Request { method, url, .. } = request;
        return Err(state.deny(format!("no http rule covers `{url}`; grant `http:{method} {url}`")));
    }
    state.granted_index(CapabilityKind::Http, handle)
}

/// Returns the rule of the handle if it covers the request, else the first rule that does.
fn covering_rule(state: &mut State, index: usize, request: &Request, url: &Url) -> Result<usize, HostError> {
    if request.method.is_empty() || !request.method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-') {
        return Err(HostError::InvalidArgument(format!(
            "`{}` is not a method in upper case",
            request.method
        )));
    }
    let banned = matches!(request.method.as_str(), "CONNECT" | "TRACE");
    let rules = &state.grants.http;
    let covers = |rule: &HttpRule| !banned && rule.covers(url) && rule.covers_method(&request.method);
    let found = std::iter::once(index).chain(0..rules.len()).find(|index| covers(&rules[*index]));
    if let Some(found) = found {
        return Ok(found);
    }
    let rule = &rules[index];
    let text = format!("`{} {}` is outside the rule `{}`", request.method, request.url, rule.text);
    Err(state.deny(text))
}

fn check_headers(headers: &[Header]) -> Result<(), HostError> {
    for Header { name, value } in headers {
        let lower = name.to_ascii_lowercase();
        let token = !lower.is_empty()
            && lower.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
        if !token || !value.bytes().all(|b| b == b'\t' || (b' '..=b'~').contains(&b)) {
            return Err(HostError::InvalidArgument(format!("the header `{lower}` is malformed")));
        }
        if HOST_HEADERS.contains(&lower.as_str()) || lower.starts_with("proxy-") {
            return Err(HostError::InvalidArgument(format!("only the host can set the header `{lower}`")));
        }
    }
    Ok(())
}

fn check_secrets(
    state: &mut State,
    request: &Request,
    url: &Url,
) -> Result<Vec<(String, SecretForm)>, HostError> {
    let mut secrets = Vec::new();
    for injection in &request.secrets {
        let index = state.resolve(CapabilityKind::Secret, injection.secret)?;
        let grant = &state.grants.secrets[index];
        let name = grant.name.clone();
        if !grant.allows(&url.host, &injection.form) {
            let (host, form) = (&url.host, form_text(&injection.form));
            let grant = format!("secret:{name} hosts={host} inject={form}");
            return Err(state.deny(format!(
                "no grant allows the secret `{name}` to be sent to `{host}` as {form}; grant `{grant}`"
            )));
        }
        if !state.secret_values.contains_key(&name) {
            return Err(HostError::Unavailable(format!("the harness has no value for secret `{name}`")));
        }
        secrets.push((name, injection.form.clone()));
    }
    Ok(secrets)
}

/// Refuses a secret value that the guest wrote into the request, unless a grant reveals it for this host.
fn check_leaks(state: &mut State, request: &Request, url: &Url) -> Result<(), HostError> {
    let leaked = state.secret_values.iter().find(|(name, value)| {
        let allowed = state
            .grants
            .secrets
            .iter()
            .any(|grant| grant.name == **name && grant.reveal && grant.is_bound_to(&url.host));
        !allowed && contains_secret(request, value)
    });
    match leaked.map(|(name, _)| name.clone()) {
        Some(name) => Err(state.deny(format!("the request carries the value of secret `{name}`"))),
        None => Ok(()),
    }
}

fn contains_secret(request: &Request, value: &[u8]) -> bool {
    let within = |bytes: &[u8]| !value.is_empty() && bytes.windows(value.len()).any(|window| window == value);
    within(request.url.as_bytes())
        || request.headers.iter().any(|header| within(header.value.as_bytes()))
        || request.body.as_deref().is_some_and(within)
}

fn count_bytes(
    state: &mut State,
    index: usize,
    what: &str,
    bytes: usize,
    cap: impl Fn(&HttpRule) -> Option<u64>,
) -> Result<(), HostError> {
    let bytes = bytes as u64;
    let rule = &state.grants.http[index];
    let total = state.call.egress.entry(index).or_default();
    *total = total.saturating_add(bytes);
    if cap(rule).is_some_and(|cap| bytes > cap) || rule.total_bytes.is_some_and(|cap| *total > cap) {
        let text = format!("egress: a {what} of {bytes} bytes under the rule `{}`", rule.text);
        return Err(state.exceed(text));
    }
    Ok(())
}

fn sent(request: &Request, secrets: Vec<(String, SecretForm)>) -> SentRequest {
    SentRequest {
        method: request.method.clone(),
        url: request.url.clone(),
        headers: request.headers.iter().map(|header| (header.name.clone(), header.value.clone())).collect(),
        body: request.body.clone(),
        secrets,
        timeout_ms: request.timeout_ms,
    }
}

/// Returns the first response prepared for this method and URL; the last one remains for later requests.
fn answer(state: &mut State, request: &Request) -> Result<Response, HostError> {
    let fits = |index: &usize| {
        state.answers[*index].method == request.method && state.answers[*index].url == request.url
    };
    let mut fitting = (0..state.answers.len()).filter(fits);
    let (first, more) = (fitting.next(), fitting.next().is_some());
    let Some(first) = first else {
        let text = format!("the harness has no response for `{} {}`", request.method, request.url);
        return Err(HostError::Unavailable(text));
    };
    let answer = if more { state.answers.remove(first).answer } else { state.answers[first].answer.clone() };
    let response = answer?;
    let headers = response.headers.into_iter().map(|(name, value)| Header { name, value }).collect();
    Ok(Response { status: response.status, headers, body: response.body })
}

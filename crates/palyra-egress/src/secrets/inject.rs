//! Injection of secrets into a request, after all checks.

use super::scan::ScannedRequest;
use super::{Injection, InjectionForm};
use crate::denial;
use crate::error::EgressError;
use crate::limits::MAX_INJECTIONS;
use crate::request::AuthorizedRequest;
use crate::request::headers::is_set_by_the_host;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, HOST, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::Full;
use palyra_common::capabilities::{HostPattern, SecretForm, SecretRef};
use zeroize::Zeroizing;

/// A request ready to be sent. It may contain secrets and has no text form.
pub(crate) struct SealedRequest {
    pub(crate) request: Request<Full<Bytes>>,
    pub(crate) head_bytes: u64,
    pub(crate) body_bytes: u64,
}

/// Adds the secrets and the headers that only the host sets.
pub(crate) fn seal(request: &ScannedRequest, injections: &[Injection]) -> Result<SealedRequest, EgressError> {
    let AuthorizedRequest { method, target, headers, body, .. } = &request.0;
    if injections.len() > MAX_INJECTIONS {
        return Err(EgressError::invalid(format!(
            "{} injections are more than {MAX_INJECTIONS}",
            injections.len()
        )));
    }
    let mut draft = Draft::new(target.path(), target.query(), headers.clone());
    for injection in injections {
        check_grant(injection, &target.host)?;
        draft.inject(injection)?;
    }
    if !injections.is_empty() {
        draft.ask_for_plain_text();
    }
    let host = HeaderValue::from_str(target.authority())
        .map_err(|_| EgressError::invalid("the host is not a header value"))?;
    draft.headers.insert(HOST, host);
    draft.finish(method, body)
}

fn check_grant(injection: &Injection, host: &HostPattern) -> Result<(), EgressError> {
    let form = injection.form.granted_as();
    // The name of a header or parameter comes from the guest; only one that a grant could contain is accepted.
    if form.to_string().parse::<SecretForm>().as_ref() != Ok(&form) {
        return Err(EgressError::invalid("invalid name of the header or parameter for a secret"));
    }
    if injection.grant.allows_injection(host, &form) {
        return Ok(());
    }
    let reason = if injection.grant.is_bound_to(host) {
        format!("its grant does not allow the form `{form}`")
    } else {
        format!("it is not bound to the host `{host}`")
    };
    Err(EgressError::Denied(denial::injection(&injection.grant.secret, host, &form, reason)))
}

/// The head of a request while secrets are added to it.
struct Draft {
    path_and_query: Zeroizing<String>,
    has_query: bool,
    headers: HeaderMap,
}

impl Draft {
    fn new(path: &str, query: Option<&str>, headers: HeaderMap) -> Self {
        let mut path_and_query = Zeroizing::new(path.to_owned());
        if let Some(query) = query {
            path_and_query.push('?');
            path_and_query.push_str(query);
        }
        Self { path_and_query, has_query: query.is_some(), headers }
    }

    fn inject(&mut self, injection: &Injection) -> Result<(), EgressError> {
        let secret = &injection.grant.secret;
        let value = injection.value.expose();
        match &injection.form {
            InjectionForm::Bearer => self.set(secret, AUTHORIZATION, &[b"Bearer ", value]),
            InjectionForm::BasicPassword { username } => {
                if username.contains(':') || username.chars().any(char::is_control) {
                    return Err(EgressError::invalid("the user name has a colon or a control character"));
                }
                let pair = Zeroizing::new([username.as_bytes(), b":", value].concat());
                let encoded = Zeroizing::new(STANDARD.encode(pair.as_slice()));
                self.set(secret, AUTHORIZATION, &[b"Basic ", encoded.as_bytes()])
            }
            InjectionForm::Header(name) => {
                let name = HeaderName::from_bytes(name.as_bytes())
                    .ok()
                    .filter(|name| !is_set_by_the_host(name))
                    .ok_or_else(|| {
                        EgressError::invalid(format!("a secret cannot be put into header `{name}`"))
                    })?;
                self.set(secret, name, &[value])
            }
            InjectionForm::Query(name) => self.add_parameter(name, value),
        }
    }

    fn set(&mut self, secret: &SecretRef, name: HeaderName, parts: &[&[u8]]) -> Result<(), EgressError> {
        if self.headers.contains_key(&name) {
            return Err(EgressError::invalid(format!(
                "header `{name}` is already set, so secret `{secret}` cannot be injected there"
            )));
        }
        let line = Zeroizing::new(parts.concat());
        let mut value = HeaderValue::from_bytes(&line).map_err(|_| {
            EgressError::invalid(format!("secret `{secret}` has bytes that are not allowed in a header"))
        })?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(())
    }

    fn add_parameter(&mut self, name: &str, value: &[u8]) -> Result<(), EgressError> {
        let query = self.path_and_query.split_once('?').map_or("", |(_, query)| query);
        if url::form_urlencoded::parse(query.as_bytes()).any(|(given, _)| given == name) {
            return Err(EgressError::invalid(format!(
                "query parameter `{name}` is already set, so a secret cannot be injected there"
            )));
        }
        self.path_and_query.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        push_encoded(&mut self.path_and_query, name.as_bytes());
        self.path_and_query.push('=');
        push_encoded(&mut self.path_and_query, value);
        Ok(())
    }

    /// Removes range headers and asks for no compression: a compressed response, or one cut at a byte that the
    /// guest chose, could hide a secret from the redactor.
    fn ask_for_plain_text(&mut self) {
        self.headers.remove(RANGE);
        self.headers.remove(IF_RANGE);
        self.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }

    fn finish(mut self, method: &Method, body: &Bytes) -> Result<SealedRequest, EgressError> {
        let uri = Uri::try_from(self.path_and_query.as_str())
            .map_err(|_| EgressError::invalid("the URL has characters that are not allowed in a request"))?;
        let body_bytes = body.len() as u64;
        if body_bytes > 0 || matches!(*method, Method::POST | Method::PUT | Method::PATCH) {
            self.headers.insert(CONTENT_LENGTH, HeaderValue::from(body_bytes));
        }
        let head_bytes = head_bytes(method, &self.path_and_query, &self.headers);
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = self.headers;
        Ok(SealedRequest { request, head_bytes, body_bytes })
    }
}

/// Returns the size of the head on the wire: request line, header lines, empty line.
fn head_bytes(method: &Method, target: &str, headers: &HeaderMap) -> u64 {
    let line = method.as_str().len() + target.len() + "  HTTP/1.1\r\n".len();
    let lines: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    (line + lines + 2) as u64
}

fn push_encoded(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
}

//! A request from the guest, before and after its authorisation by a rule.

pub(crate) mod headers;
pub(crate) mod target;

use crate::error::EgressError;
use crate::rules;
use bytes::Bytes;
use headers::{find_override, read_headers};
use http::{HeaderMap, Method};
use palyra_common::capabilities::HttpRule;
use palyra_common::text::clip_untrusted;
use std::fmt;
use std::time::Duration;
use target::Target;

/// A request of a guest or of Palyra itself.
#[derive(Debug, Clone, Default)]
pub struct OutgoingRequest {
    /// The method, upper case.
    pub method: String,
    /// An absolute URL without user information or fragment.
    pub url: String,
    /// Header lines in order, without those the host sets.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Bytes,
    /// A time limit for the whole exchange.
    pub timeout: Option<Duration>,
}

/// A request that a rule covers: well formed, in normal form, and allowed to this host, port, method and path.
#[derive(Clone)]
pub struct AuthorizedRequest {
    pub(crate) rule: HttpRule,
    pub(crate) method: Method,
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) timeout: Option<Duration>,
}

impl AuthorizedRequest {
    /// Checks a request against the rules; no I/O.
    pub(crate) fn check(rules: &[HttpRule], request: OutgoingRequest) -> Result<Self, EgressError> {
        let method = read_method(&request.method)?;
        let target = Target::parse(request.url)?;
        let overriding = find_override(&request.headers);
        let rule = rules::find(rules, method.as_str(), &target, overriding)?.clone();
        let headers = read_headers(&request.headers)?;
        Ok(Self { rule, method, target, headers, body: request.body, timeout: request.timeout })
    }

    /// Returns the rule that covers the request.
    pub fn rule(&self) -> &HttpRule {
        &self.rule
    }

    /// Returns the HTTP method, in upper case.
    pub fn method(&self) -> &str {
        self.method.as_str()
    }

    /// Returns the URL in normal form, before any secret is injected.
    ///
    /// It can contain a secret that the guest may reveal to this host, so it must be redacted before it is stored.
    pub fn url(&self) -> &str {
        self.target.url()
    }
}

/// Prints only the rule and the method, because the rest may contain a secret until it was scanned.
impl fmt::Debug for AuthorizedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizedRequest")
            .field("rule", &self.rule)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// Reads a method in the grammar of the grants.
fn read_method(text: &str) -> Result<Method, EgressError> {
    let plain =
        !text.is_empty() && text.len() <= 20 && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    if !plain {
        let shown = clip_untrusted(text, 20);
        return Err(EgressError::invalid(format!("`{shown}` is not an upper-case method")));
    }
    Method::from_bytes(text.as_bytes()).map_err(|_| EgressError::invalid("the method is not a token"))
}

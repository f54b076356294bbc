//! HTTP requests through the egress guard. Secrets are referenced by name; the guest never sees them.

mod response;

pub use super::raw::http::SecretForm;
pub use response::Response;

use super::error::{HostError, ToolError};
use super::raw::types::CapabilityKind;
use super::raw::{host_capabilities, http as raw};
use serde::Serialize;

/// An outgoing request, which is built step by step and then sent.
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until `send`"]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<raw::Header>,
    body: Option<Vec<u8>>,
    secrets: Vec<(String, SecretForm)>,
    timeout_ms: Option<u32>,
}

/// Creates a `GET` request.
pub fn get(url: impl Into<String>) -> Request {
    Request::new("GET", url)
}

/// Creates a `POST` request.
pub fn post(url: impl Into<String>) -> Request {
    Request::new("POST", url)
}

/// Creates a `PUT` request.
pub fn put(url: impl Into<String>) -> Request {
    Request::new("PUT", url)
}

/// Creates a `DELETE` request.
pub fn delete(url: impl Into<String>) -> Request {
    Request::new("DELETE", url)
}

impl Request {
    /// Creates a request with a method in upper case and an absolute URL.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: None,
            secrets: Vec::new(),
            timeout_ms: None,
        }
    }

    /// Adds a header line; the same name can occur several times.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push(raw::Header { name: name.into(), value: value.into() });
        self
    }

    /// Sets the body and replaces an earlier one.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sets the body to a value as JSON, and adds the `content-type` header.
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, ToolError> {
        Ok(self.header("content-type", "application/json").body(serde_json::to_vec(value)?))
    }

    /// Sets a time limit for this request, within the deadline of the run.
    pub fn timeout_ms(mut self, milliseconds: u32) -> Self {
        self.timeout_ms = Some(milliseconds);
        self
    }

    /// Makes the host inject the secret `name` into the request.
    pub fn secret(mut self, name: impl Into<String>, form: SecretForm) -> Self {
        self.secrets.push((name.into(), form));
        self
    }

    /// Injects the secret `name`, for example `global/token`, as `Authorization: Bearer`.
    pub fn bearer(self, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::Bearer)
    }

    /// Injects the secret `name` as the whole value of a header.
    pub fn secret_header(self, header: impl Into<String>, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::Header(header.into()))
    }

    /// Injects the secret `name` as the value of a query parameter.
    pub fn secret_query(self, parameter: impl Into<String>, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::Query(parameter.into()))
    }

    /// Injects the secret `name` as the password of `Authorization: Basic` for this user.
    pub fn basic_password(self, user: impl Into<String>, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::BasicPassword(user.into()))
    }

    /// Sends the request under the first rule that covers its URL and method.
    ///
    /// A request without a grant is also passed to the host, whose denial names the missing grant.
    ///
    /// # Errors
    ///
    /// [`HostError::Denied`] without a grant, [`HostError::TimedOut`] after the time limit, and
    /// [`HostError::Unavailable`] if the server fails. A response with an error status is not an error.
    pub fn send(self) -> Result<Response, HostError> {
        let secrets = self.secrets.into_iter().map(injection).collect();
        // The rule is looked up last, because a denial names the latest failed lookup and the host checks the rule
        // first.
        let rule = host_capabilities::find(CapabilityKind::Http, &self.url);
        let Self { method, url, headers, body, timeout_ms, .. } = self;
        let request = raw::Request { method, url, headers, body, secrets, timeout_ms };
        Ok(raw::send(rule, &request)?.into())
    }
}

fn injection((name, form): (String, SecretForm)) -> raw::SecretInjection {
    raw::SecretInjection { secret: host_capabilities::find(CapabilityKind::Secret, &name), form }
}

//! Requests through the egress guard; secrets are named, never seen.

mod response;

pub use super::raw::http::SecretForm;
pub use response::Response;

use super::error::{HostError, ToolError};
use super::raw::types::CapabilityKind;
use super::raw::{host_capabilities, http as raw};
use serde::Serialize;

/// A request in the making.
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

/// A `GET` request.
pub fn get(url: impl Into<String>) -> Request {
    Request::new("GET", url)
}

/// A `POST` request.
pub fn post(url: impl Into<String>) -> Request {
    Request::new("POST", url)
}

/// A `PUT` request.
pub fn put(url: impl Into<String>) -> Request {
    Request::new("PUT", url)
}

/// A `DELETE` request.
pub fn delete(url: impl Into<String>) -> Request {
    Request::new("DELETE", url)
}

impl Request {
    /// A request with any method, upper case, to an absolute URL.
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

    /// Adds a header line.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push(raw::Header { name: name.into(), value: value.into() });
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sets the body to a value as JSON, and its content type.
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, ToolError> {
        Ok(self.header("content-type", "application/json").body(serde_json::to_vec(value)?))
    }

    /// Sets a time limit of its own, within the run's deadline.
    pub fn timeout_ms(mut self, milliseconds: u32) -> Self {
        self.timeout_ms = Some(milliseconds);
        self
    }

    /// Lets the host put the secret called `name` into the request.
    pub fn secret(mut self, name: impl Into<String>, form: SecretForm) -> Self {
        self.secrets.push((name.into(), form));
        self
    }

    /// `Authorization: Bearer`, with the secret called `name`, for example `global/token`.
    pub fn bearer(self, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::Bearer)
    }

    /// A header whose whole value is the secret called `name`.
    pub fn secret_header(self, header: impl Into<String>, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::Header(header.into()))
    }

    /// A query parameter whose value is the secret called `name`.
    pub fn secret_query(self, parameter: impl Into<String>, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::Query(parameter.into()))
    }

    /// `Authorization: Basic`, with this user and the secret called `name` as password.
    pub fn basic_password(self, user: impl Into<String>, name: impl Into<String>) -> Self {
        self.secret(name, SecretForm::BasicPassword(user.into()))
    }

    /// Sends it under the first rule that covers both the URL and the method.
    ///
    /// What no grant covers is sent to the host all the same: its refusal names what is missing.
    pub fn send(self) -> Result<Response, HostError> {
        let secrets = self.secrets.into_iter().map(injection).collect();
        // Last, because a host may name the latest miss in its refusal, and the rule is what it checks first.
        let rule = host_capabilities::find(CapabilityKind::Http, &self.url);
        let Self { method, url, headers, body, timeout_ms, .. } = self;
        let request = raw::Request { method, url, headers, body, secrets, timeout_ms };
        Ok(raw::send(rule, &request)?.into())
    }
}

fn injection((name, form): (String, SecretForm)) -> raw::SecretInjection {
    raw::SecretInjection { secret: host_capabilities::find(CapabilityKind::Secret, &name), form }
}

//! `http`: requests through the egress guard.

use super::bindings::palyra::plugin::http::{Header, Host, Request, Response, SecretForm};
use super::bindings::palyra::plugin::types::HostError;
use super::types::to_guest;
use crate::run_context::{HttpAnswer, HttpHeader, HttpOutgoing, HttpSecret};
use crate::run_state::RunState;
use palyra_egress::InjectionForm;

impl Host for RunState {
    async fn send(&mut self, handle: i32, request: Request) -> wasmtime::Result<Result<Response, HostError>> {
        to_guest(self.run.http_send(handle, request.into()).await.map(Response::from))
    }
}

impl From<Request> for HttpOutgoing {
    fn from(request: Request) -> Self {
        let header = |header: Header| HttpHeader { name: header.name, value: header.value };
        let secret = |injection: super::bindings::palyra::plugin::http::SecretInjection| HttpSecret {
            handle: injection.secret,
            form: injection.form.into(),
        };
        Self {
            method: request.method,
            url: request.url,
            headers: request.headers.into_iter().map(header).collect(),
            body: request.body.unwrap_or_default(),
            secrets: request.secrets.into_iter().map(secret).collect(),
            timeout_ms: request.timeout_ms,
        }
    }
}

impl From<SecretForm> for InjectionForm {
    fn from(form: SecretForm) -> Self {
        match form {
            SecretForm::Bearer => Self::Bearer,
            SecretForm::Header(name) => Self::Header(name),
            SecretForm::Query(name) => Self::Query(name),
            SecretForm::BasicPassword(username) => Self::BasicPassword { username },
        }
    }
}

impl From<HttpAnswer> for Response {
    fn from(answer: HttpAnswer) -> Self {
        let header = |header: HttpHeader| Header { name: header.name, value: header.value };
        Self {
            status: answer.status,
            headers: answer.headers.into_iter().map(header).collect(),
            body: answer.body.0,
        }
    }
}

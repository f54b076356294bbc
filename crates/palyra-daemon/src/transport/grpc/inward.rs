//! Sends the request of a message to the router of this process, with the token of the call.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::extract::Request;
use http::header::{AUTHORIZATION, HOST};
use http::{HeaderValue, Response};
use http_body_util::BodyExt;
use palyra_api::client::{ApiBody, BodyError};
use palyra_api::{Client, Transport, TransportError};
use palyra_state::runs::RunListener;
use tower::ServiceExt;

use crate::budget::Reservation;
use crate::transport::http::{Arrival, BodyTimeout, Listener};

/// Sends requests to the router as the sender of a message; each request authenticates its token again.
#[derive(Clone)]
pub(super) struct Inward {
    router: Router,
    arrival: Option<Arrival>,
    host: Option<HeaderValue>,
    token: Option<HeaderValue>,
    patience: Option<BodyTimeout>,
    listener_extension: Option<Listener>,
    /// Reservation of the call; it also covers the responses that become part of its own.
    reservation: Reservation,
}

impl Inward {
    /// Creates a transport that acts on behalf of a request.
    pub(super) fn of(request: &Request, router: &Router, reservation: &Reservation) -> Self {
        let token = request.headers().get(AUTHORIZATION).cloned().map(|mut token| {
            token.set_sensitive(true);
            token
        });
        Self {
            router: router.clone(),
            arrival: request.extensions().get::<Arrival>().copied(),
            host: request.headers().get(HOST).cloned(),
            token,
            patience: request.extensions().get::<BodyTimeout>().copied(),
            listener_extension: None,
            reservation: reservation.clone(),
        }
    }

    /// Returns the maximum time for the first message of a stream.
    pub(super) fn patience(&self) -> std::time::Duration {
        self.patience.map_or(std::time::Duration::MAX, |timeout| timeout.0)
    }

    /// Returns a client whose call reports its lines to a listener.
    pub(super) fn with_listener(&self, listener: &Arc<RunListener>) -> Client<Self> {
        Client::new(Self { listener_extension: Some(Listener(Arc::clone(listener))), ..self.clone() })
    }
}

#[async_trait]
impl Transport for Inward {
    async fn send(&self, mut request: http::Request<ApiBody>) -> Result<Response<ApiBody>, TransportError> {
        let headers = request.headers_mut();
        headers.extend(self.host.clone().map(|host| (HOST, host)));
        headers.extend(self.token.clone().map(|token| (AUTHORIZATION, token)));
        let extensions = request.extensions_mut();
        // A request without a token is anonymous and rejected.
        self.arrival.and_then(|arrival| extensions.insert(arrival));
        self.patience.and_then(|patience| extensions.insert(patience));
        self.listener_extension.clone().and_then(|listener_extension| extensions.insert(listener_extension));
        let response = match self.router.clone().oneshot(request.map(axum::body::Body::new)).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if let Some(length) = http_body::Body::size_hint(response.body()).exact() {
            self.reservation.set(usize::try_from(length).unwrap_or(usize::MAX));
        }
        Ok(response.map(|body| body.map_err(|error| BodyError(error.to_string())).boxed_unsync()))
    }
}

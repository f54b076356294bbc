//! The span of one request, with its parent in the trace of the client and its outcome.

use axum::extract::Request;
use axum::response::Response;
use http::HeaderMap;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The span of one request.
pub(crate) struct RequestSpan(Span);

impl RequestSpan {
    /// Creates a span under the trace in the request, if there is one. Attributes for the collector are not in the log.
    pub(crate) fn new(span: Span, request: &Request, route: &str) -> Self {
        if super::is_on() {
            let parent = TraceContextPropagator::new().extract(&Headers(request.headers()));
            // Without a layer there is no parent.
            let _ = span.set_parent(parent);
            span.set_attribute("http.request.method", request.method().to_string());
            span.set_attribute("http.route", route.to_owned());
        }
        Self(span)
    }

    /// Returns the span.
    pub(crate) fn span(&self) -> Span {
        self.0.clone()
    }

    /// Records the outcome of the request.
    pub(crate) fn ended(self, response: &Response) {
        if super::is_on() {
            self.0.set_attribute("http.response.status_code", i64::from(response.status().as_u16()));
        }
    }
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

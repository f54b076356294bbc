//! `/v1/metrics`, and one log line for each request.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, State};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};
use palyra_api::Problem;
use palyra_common::{ErrorCode, Scope};

use super::answer::Failure;
use super::blocking::blocking;
use super::route::Route;
use crate::app::App;
use crate::metrics::{Now, RequestLabels};

const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/metrics", Scope::Read, metrics).summary("Counters for Prometheus").answers_with(TEXT),
    ]
}

async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let text = blocking(&app, |app| -> Result<String, Failure> {
        let now = Now {
            calls_under_way: app.calls_under_way(),
            streams: app.streams().count(),
            journal_events: app.journal().head().size,
            depths: app.depths()?,
        };
        let text = app.metrics().text(&now);
        Ok(text.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?)
    });
    let text = text.await?;
    Ok(([(CONTENT_TYPE, HeaderValue::from_static(TEXT))], text).into_response())
}

/// Measures one request from its arrival.
pub(super) struct Watched {
    method: Method,
    route: String,
    began: Instant,
}

impl Watched {
    pub(super) fn new(request: &axum::extract::Request) -> Self {
        // The requested path never becomes a label, because clients choose it.
        let route = request.extensions().get::<MatchedPath>().map_or("none", |path| path.as_str()).to_owned();
        Self { method: request.method().clone(), route, began: Instant::now() }
    }

    /// Returns the path template of its route.
    pub(super) fn route(&self) -> &str {
        &self.route
    }

    /// Counts and logs the request, without headers, query or body.
    ///
    /// The level is `debug`, because writing the line costs a tenth of a call, and `warn` if the daemon failed.
    pub(super) fn ended(self, app: &App, request_id: &str, principal: Option<&str>, response: &Response) {
        let Self { method, route, began } = self;
        let (elapsed, status) = (began.elapsed(), response.status().as_u16());
        let principal = principal.unwrap_or("anonymous");
        let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        if response.status().is_server_error() {
            tracing::warn!(request_id, %method, route, status, principal, elapsed_us, "request failed")
        } else {
            tracing::debug!(request_id, %method, route, status, principal, elapsed_us, "request")
        }
        let method = match method {
            Method::GET | Method::POST | Method::PUT | Method::DELETE => method.to_string(),
            _ => "other".to_owned(),
        };
        app.metrics().request(RequestLabels { method, route, status }, elapsed.as_secs_f64());
    }
}

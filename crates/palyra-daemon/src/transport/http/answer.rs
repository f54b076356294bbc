//! Results of handlers: JSON, or a problem.

use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use palyra_api::Problem;
use palyra_common::ErrorCode;
use serde::Serialize;

use crate::problem::ToProblem;

/// A JSON response.
pub(super) struct Json<T>(pub(super) T);

/// A problem to return; the outermost layer writes it with the id of the request.
#[derive(Debug)]
pub(super) struct Failure(Box<Problem>);

/// Result of a handler.
pub(super) type Answer<T> = Result<Json<T>, Failure>;

impl Failure {
    /// Returns the problem.
    pub(super) fn problem(&self) -> &Problem {
        &self.0
    }
}

impl<E: ToProblem> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error.to_problem()))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => {
                ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response()
            }
            Err(error) => Failure::from(Problem::new(ErrorCode::Internal, error.to_string())).into_response(),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(AttachedProblem(self.0));
        response
    }
}

/// The problem of a response whose body is not written yet.
#[derive(Clone)]
pub(super) struct AttachedProblem(pub(super) Box<Problem>);

/// Writes the body of a problem response.
pub(super) fn write_problem(mut response: Response, request_id: &str) -> Response {
    let Some(AttachedProblem(mut problem)) = response.extensions_mut().remove::<AttachedProblem>() else {
        return response;
    };
    problem.request_id = Some(request_id.to_owned());
    let bytes = serde_json::to_vec(&problem).unwrap_or_default();
    *response.body_mut() = bytes.into();
    let problem_json = HeaderValue::from_static(palyra_api::PROBLEM_JSON);
    response.headers_mut().insert(CONTENT_TYPE, problem_json);
    response
}

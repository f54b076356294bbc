//! Extractors for the path and the query.

use axum::extract::{FromRequestParts, Path, Query};
use http::request::Parts;
use palyra_api::Problem;
use palyra_common::ErrorCode;
use serde::de::DeserializeOwned;

use super::answer::Failure;

/// The named parts of the path.
pub(super) struct Named<T>(pub(super) T);

/// The parsed query.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(error) => Err(Problem::new(ErrorCode::Usage, error.body_text()).into()),
        }
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(error) => Err(Problem::new(ErrorCode::Usage, error.body_text()).into()),
        }
    }
}

/// Returns the page size: the requested one, if it is within its bounds.
pub(super) fn page_limit(asked: Option<u16>, most: u16) -> Result<usize, Problem> {
    match asked.unwrap_or(100) {
        limit if (1..=most).contains(&limit) => Ok(usize::from(limit)),
        _ => Err(Problem::new(ErrorCode::Usage, format!("`limit` must be 1 to {most}"))),
    }
}

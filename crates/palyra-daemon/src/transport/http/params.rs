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
            Err(error) => {
                // The source names the parameter; axum's message adds details of its query parser.
                let reason =
                    std::error::Error::source(&error).map_or_else(|| error.body_text(), ToString::to_string);
                Err(Problem::new(ErrorCode::Usage, format!("invalid query: {reason}")).into())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Page {
        limit: Option<u16>,
    }

    async fn read(uri: &str) -> Result<Option<u16>, String> {
        let (mut parts, ()) = http::Request::builder().uri(uri).body(()).unwrap().into_parts();
        match Asked::<Page>::from_request_parts(&mut parts, &()).await {
            Ok(Asked(page)) => Ok(page.limit),
            Err(failure) => Err(failure.problem().detail.clone()),
        }
    }

    #[tokio::test]
    async fn invalid_query_names_the_parameter() {
        assert_eq!(read("/v1/runs?limit=3").await, Ok(Some(3)));
        let unknown = "invalid query: limi: unknown field `limi`, expected `limit`";
        assert_eq!(read("/v1/runs?limi=3").await, Err(unknown.to_owned()));
    }
}

//! Calls the HTTP API for the sender of a message, and converts responses to messages and statuses.

use palyra_api::grpc::status_of;
use palyra_api::{Client, ClientError, Problem};
use palyra_common::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonic::{Request, Response, Status};

use super::inward::Inward;

/// Result of a service method.
pub(super) type Answer<M> = Result<Response<M>, Status>;

/// Returns the message, and a client that acts on behalf of its sender.
pub(super) fn enter<Q>(request: Request<Q>) -> Result<(Client<Inward>, Q), Status> {
    let inward = request.extensions().get::<Inward>().cloned();
    let inward = inward.ok_or_else(|| {
        refused(&Problem::new(
            ErrorCode::Internal,
            "a request reached a handler \
            unauthenticated",
        ))
    })?;
    Ok((Client::new(inward), request.into_inner()))
}

/// Converts a response of the API to a message, or its error to a status.
pub(super) fn to_message<A: Serialize, M: DeserializeOwned>(
    answer: Result<A, ClientError>,
) -> Result<M, Status> {
    let unread = |error: serde_json::Error| refused(&Problem::new(ErrorCode::Internal, error.to_string()));
    let text = serde_json::to_vec(&answer.map_err(failed)?).map_err(unread)?;
    serde_json::from_slice(&text).map_err(unread)
}

/// Converts the error of a request to a status.
pub(super) fn failed(error: ClientError) -> Status {
    status_of(&error.into_problem())
}

/// Converts a problem to a status.
pub(super) fn refused(problem: &Problem) -> Status {
    status_of(problem)
}

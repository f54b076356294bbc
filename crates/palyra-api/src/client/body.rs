//! Bodies that stream.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};

/// What went wrong while a body streamed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BodyError(pub String);

/// A body in either direction.
pub type ApiBody = UnsyncBoxBody<Bytes, BodyError>;

/// No body.
pub fn empty_body() -> ApiBody {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// A body that is there already.
pub fn full_body(bytes: impl Into<Bytes>) -> ApiBody {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

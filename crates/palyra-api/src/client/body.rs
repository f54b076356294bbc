//! Bodies that stream.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};

/// Whatever may go wrong while a body streams.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;
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

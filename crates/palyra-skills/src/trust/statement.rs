//! A file for `palyra trust apply`: a rotation or a revocation list, distinguished by its signed type.

use super::feed::{FeedError, REVOCATIONS_PAYLOAD_TYPE, SignedRevocations};
use super::rotation::{ROTATION_PAYLOAD_TYPE, RotationError, SignedRotation};
use crate::signing::dsse::Envelope;
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};

/// Maximum size of a statement file, in bytes.
const MAX_STATEMENT_BYTES: usize = 32 << 20;

/// A signed statement about keys or releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustStatement {
    /// Replaces the keys of a publisher.
    Rotation(Box<SignedRotation>),
    /// Revokes keys and releases.
    Revocations(Box<SignedRevocations>),
}

/// The reason why a file is not a trust statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustStatementError {
    /// The file is longer than the maximum.
    #[error("the statement has {0} bytes, the limit is {MAX_STATEMENT_BYTES}")]
    TooLarge(usize),
    /// The file is not a canonical envelope.
    #[error("the statement is malformed: {0}")]
    Json(#[from] StrictJsonError),
    /// The payload type is neither that of a rotation nor that of a revocation list.
    #[error("`{0}` is neither a rotation nor a revocation list")]
    OtherType(String),
    /// The rotation is invalid.
    #[error(transparent)]
    Rotation(#[from] RotationError),
    /// The revocation list is invalid.
    #[error(transparent)]
    Revocations(#[from] FeedError),
}

/// Reads the envelope of a statement file; trailing white space is ignored.
pub(super) fn parse_envelope(bytes: &[u8]) -> Result<Envelope, TrustStatementError> {
    if bytes.len() > MAX_STATEMENT_BYTES {
        return Err(TrustStatementError::TooLarge(bytes.len()));
    }
    Ok(parse_canonical(bytes.trim_ascii_end())?)
}

impl TrustStatement {
    /// Reads a statement file; trailing white space is ignored. Verifies the signatures of a rotation only.
    pub fn parse(bytes: &[u8]) -> Result<Self, TrustStatementError> {
        let envelope = parse_envelope(bytes)?;
        match envelope.payload_type.as_str() {
            ROTATION_PAYLOAD_TYPE => Ok(Self::Rotation(Box::new(SignedRotation::verify(envelope)?))),
            REVOCATIONS_PAYLOAD_TYPE => Ok(Self::Revocations(Box::new(SignedRevocations::read(envelope)?))),
            other => Err(TrustStatementError::OtherType(crate::artifact::clip(other))),
        }
    }

    /// Encodes the statement as a file, without a final newline.
    pub fn encode(&self) -> Result<Vec<u8>, StrictJsonError> {
        match self {
            Self::Rotation(rotation) => encode_canonical(rotation.envelope()),
            Self::Revocations(list) => encode_canonical(list.envelope()),
        }
    }
}

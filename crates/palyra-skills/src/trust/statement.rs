//! A file for `palyra trust apply`: a rotation or a revocation list, distinguished by its signed type.

use super::feed::{FeedError, REVOCATIONS_PAYLOAD_TYPE, SignedRevocations};
use super::rotation::{ROTATION_PAYLOAD_TYPE, RotationError, SignedRotation};
use crate::signing::dsse::Envelope;
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};

/// Maximum bytes of such a file.
const MAX_STATEMENT_BYTES: usize = 32 << 20;

/// A signed statement about trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustStatement {
    /// Keys hand over.
    Rotation(Box<SignedRotation>),
    /// Keys and releases are gone.
    Revocations(Box<SignedRevocations>),
}

/// Why a file is not a statement about trust.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustStatementError {
    /// Longer than statements get.
    #[error("the statement has {0} bytes, the limit is {MAX_STATEMENT_BYTES}")]
    TooLarge(usize),
    /// Not an envelope.
    #[error("the statement is malformed: {0}")]
    Json(#[from] StrictJsonError),
    /// Signed as something else.
    #[error("`{0}` is neither a rotation nor a revocation list")]
    OtherType(String),
    /// A rotation that does not hold.
    #[error(transparent)]
    Rotation(#[from] RotationError),
    /// A list that cannot be read.
    #[error(transparent)]
    Revocations(#[from] FeedError),
}

impl TrustStatement {
    /// Reads a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, TrustStatementError> {
        if bytes.len() > MAX_STATEMENT_BYTES {
            return Err(TrustStatementError::TooLarge(bytes.len()));
        }
        let envelope: Envelope = parse_canonical(bytes.trim_ascii_end())?;
        match envelope.payload_type.as_str() {
            ROTATION_PAYLOAD_TYPE => Ok(Self::Rotation(Box::new(SignedRotation::verify(envelope)?))),
            REVOCATIONS_PAYLOAD_TYPE => Ok(Self::Revocations(Box::new(SignedRevocations::read(envelope)?))),
            other => Err(TrustStatementError::OtherType(crate::artifact::clip(other))),
        }
    }

    /// Writes the file.
    pub fn encode(&self) -> Result<Vec<u8>, StrictJsonError> {
        match self {
            Self::Rotation(rotation) => encode_canonical(rotation.envelope()),
            Self::Revocations(list) => encode_canonical(list.envelope()),
        }
    }
}

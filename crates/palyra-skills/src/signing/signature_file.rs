//! `signature.json`: the signed envelope, with the facts that readers need before they verify it.

use serde::{Deserialize, Serialize};

use super::dsse::{Envelope, EnvelopeError};
use super::key::KeyId;
use super::statement::{STATEMENT_PAYLOAD_TYPE, StatementError};
use super::strict_json::{StrictJsonError, encode_canonical, parse_canonical};
use crate::constants::MAX_LINEAGE;
use crate::digest::Sha256Digest;

/// The value of `schema` in every signature file.
pub const SIGNATURE_SCHEMA: &str = "palyra.skill.signature/v1";

/// The contents of `signature.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureFile {
    /// Always [`SIGNATURE_SCHEMA`].
    pub schema: String,
    /// The id of the first key that signed; must match the envelope.
    pub key_id: KeyId,
    /// The payload digest; must match the statement in the envelope.
    pub payload_sha256: Sha256Digest,
    /// The envelope with the release statement.
    pub envelope: Envelope,
    /// Rotation statements from an earlier epoch to this one, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<Envelope>,
}

/// The reason why `signature.json` is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFileError {
    /// The file is not canonical JSON of this schema.
    #[error("`signature.json` is malformed: {0}")]
    Json(StrictJsonError),
    /// The file has another schema.
    #[error("`signature.json` has schema `{0}`, expected `{SIGNATURE_SCHEMA}`")]
    Schema(String),
    /// The lineage has more than [`MAX_LINEAGE`] statements.
    #[error("the lineage has {0} statements, the limit is {MAX_LINEAGE}")]
    LineageTooLong(usize),
    /// The envelope is invalid.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The statement in the envelope is invalid.
    #[error(transparent)]
    Statement(#[from] StatementError),
}

impl SignatureFile {
    /// Parses the file, which must be in canonical form.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignatureFileError> {
        let file: Self = parse_canonical(bytes).map_err(SignatureFileError::Json)?;
        if file.schema != SIGNATURE_SCHEMA {
            return Err(SignatureFileError::Schema(crate::artifact::clip(&file.schema)));
        }
        if file.lineage.len() > MAX_LINEAGE {
            return Err(SignatureFileError::LineageTooLong(file.lineage.len()));
        }
        Ok(file)
    }

    /// Encodes the file in canonical form.
    pub fn encode(&self) -> Result<Vec<u8>, StrictJsonError> {
        encode_canonical(self)
    }

    /// Returns the signed bytes after checking the form of the envelope. Does not verify signatures.
    pub fn statement_bytes(&self) -> Result<Vec<u8>, SignatureFileError> {
        Ok(self.envelope.open(STATEMENT_PAYLOAD_TYPE)?)
    }

    /// Returns the digest that binds a lineage to the statement, or `None` for an empty lineage.
    pub fn lineage_digest(lineage: &[Envelope]) -> Result<Option<Sha256Digest>, StrictJsonError> {
        if lineage.is_empty() {
            return Ok(None);
        }
        Ok(Some(Sha256Digest::of(&encode_canonical(&lineage)?)))
    }
}

//! `signature.json`: the envelope, and beside it what a reader looks for first.

use serde::{Deserialize, Serialize};

use super::dsse::{Envelope, EnvelopeError};
use super::key::KeyId;
use super::statement::{STATEMENT_PAYLOAD_TYPE, StatementError};
use super::strict_json::{StrictJsonError, encode_canonical, parse_canonical};
use crate::constants::MAX_LINEAGE;
use crate::digest::Sha256Digest;

/// The value of `schema`.
pub const SIGNATURE_SCHEMA: &str = "palyra.skill.signature/v1";

/// The file as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureFile {
    /// [`SIGNATURE_SCHEMA`].
    pub schema: String,
    /// The id of the first key that signed; must be what the envelope proves.
    pub key_id: KeyId,
    /// The payload digest; must be what the envelope proves.
    pub payload_sha256: Sha256Digest,
    /// The signed statement.
    pub envelope: Envelope,
    /// Rotation statements from an earlier epoch to this one, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<Envelope>,
}

/// Why `signature.json` is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFileError {
    /// Not our JSON.
    #[error("`signature.json` is malformed: {0}")]
    Json(StrictJsonError),
    /// Another schema.
    #[error("`signature.json` has schema `{0}`, expected `{SIGNATURE_SCHEMA}`")]
    Schema(String),
    /// A lineage longer than any publisher needs.
    #[error("the lineage has {0} statements, the limit is {MAX_LINEAGE}")]
    LineageTooLong(usize),
    /// The envelope.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The statement in it.
    #[error(transparent)]
    Statement(#[from] StatementError),
}

impl SignatureFile {
    /// Reads the file in its one spelling.
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

    /// Writes the file.
    pub fn encode(&self) -> Result<Vec<u8>, StrictJsonError> {
        encode_canonical(self)
    }

    /// The signed bytes, by their form only; signatures are checked afterwards.
    pub fn statement_bytes(&self) -> Result<Vec<u8>, SignatureFileError> {
        Ok(self.envelope.open(STATEMENT_PAYLOAD_TYPE)?)
    }

    /// The digest that binds the lineage to the statement.
    pub fn lineage_digest(lineage: &[Envelope]) -> Result<Option<Sha256Digest>, StrictJsonError> {
        if lineage.is_empty() {
            return Ok(None);
        }
        Ok(Some(Sha256Digest::of(&encode_canonical(&lineage)?)))
    }
}

//! Keys, envelopes and statements that prove who published an artifact.
//!
//! [`dsse::Envelope::sign`] and [`dsse::Envelope::verify`] are inverse operations. Every signed text has exactly one
//! encoding, so equal statements are equal bytes.

pub mod base64;
pub mod dsse;
mod key;
mod key_set;
mod signature_file;
mod statement;
pub mod strict_json;

pub use key::{KeyError, KeyId, PublisherKey, SkillSigningKey};
pub use key_set::{KeySet, KeySetError};
pub use signature_file::{SIGNATURE_SCHEMA, SignatureFile, SignatureFileError};
pub(crate) use statement::read_listed_keys;
pub use statement::{
    DigestSet, LISTED_ALGORITHM, ListedKey, PAYLOAD_SUBJECT, RELEASE_PREDICATE, ReleasePredicate,
    ReleaseStatement, STATEMENT_PAYLOAD_TYPE, STATEMENT_TYPE, StatementError, Subject,
};

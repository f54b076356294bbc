//! Keys, envelopes and statements: how a publisher says "these bytes are mine".
//!
//! Signing and verifying stand side by side: [`dsse::Envelope::sign`] and [`dsse::Envelope::verify`] are each
//! other's inverse, and every text that is signed has one spelling, so equal statements are equal bytes.

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

//! Refusals of verification: the failed step, the facts, and advice for the user.

use palyra_common::ErrorCode;
use semver::Version;
use serde::Serialize;

use super::report::{VerifyStep, VerifyStepName};
use crate::artifact::sidecars::SidecarError;
use crate::artifact::{ArchiveError, clip};
use crate::compat::CompatRefusal;
use crate::digest::Sha256Digest;
use crate::manifest::ManifestError;
use crate::signing::dsse::EnvelopeError;
use crate::signing::{KeyId, ReleasePredicate, SignatureFileError, StatementError, Subject};
use crate::trust::{RollbackRefusal, RotationError, TrustChange, TrustRefusal};

/// A refusal of an artifact.
#[derive(Debug, Clone, thiserror::Error)]
#[error("rejected at {step}: {reason}")]
pub struct VerifyRefusal {
    /// The step that failed.
    pub step: VerifyStepName,
    /// The reason, with the facts for its message.
    pub reason: RefusalReason,
    /// The steps that passed before it.
    pub passed: Vec<VerifyStep>,
    /// The claims of the artifact, if it could be read. Unverified, except as far as `passed` covers them.
    pub claims: Option<ClaimedIdentity>,
    /// A trust change that the refusal requires: a publisher whose keys forked is blocked.
    pub proposed: Option<TrustChange>,
}

/// The identity that an artifact claims, clipped for display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimedIdentity {
    /// The claimed skill id.
    pub skill_id: String,
    /// The claimed publisher.
    pub publisher: String,
    /// The claimed version.
    pub version: Version,
}

/// The reason why an artifact is refused.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum RefusalReason {
    /// The file is not a canonical archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// `signature.json` is invalid.
    #[error(transparent)]
    Envelope(#[from] SignatureFileError),
    /// A rotation statement of the lineage is invalid.
    #[error("lineage: {0}")]
    Lineage(#[source] RotationError),
    /// Fewer keys signed than the statement itself requires.
    #[error("{found} distinct keys signed, the threshold is {needed}")]
    OwnThreshold {
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// The key id next to the envelope is not that of the first signer.
    #[error("`signature.json` lists key `{outer}`, the envelope is signed by {}", show(.proven))]
    OuterKeyId {
        /// The key id next to the envelope.
        outer: KeyId,
        /// The id of the first key with a valid signature.
        proven: Option<KeyId>,
    },
    /// The statement and the archive differ.
    #[error(transparent)]
    Statement(#[from] StatementMismatch),
    /// The manifest is not UTF-8.
    #[error("`skill.toml` is not UTF-8 at byte {offset}")]
    ManifestNotUtf8 {
        /// The offset of the first invalid byte.
        offset: usize,
    },
    /// The manifest is invalid.
    #[error(transparent)]
    Manifest(Box<ManifestError>),
    /// An entrypoint refers to a module that the archive does not contain.
    #[error("entrypoint `{entrypoint}` refers to `{module}`, which is not in the archive")]
    MissingModule { entrypoint: String, module: String },
    /// The skill is incompatible with this version of Palyra.
    #[error(transparent)]
    Compat(CompatRefusal),
    /// The publisher's keys are not trusted.
    #[error(transparent)]
    Trust(TrustRefusal),
    /// The skill has another owner, or a newer release was accepted before.
    #[error(transparent)]
    Rollback(RollbackRefusal),
    /// A sidecar does not match the modules.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
}

/// A difference between a signed statement and its archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum StatementMismatch {
    /// The archive lacks an entry that the statement lists.
    #[error("the signed statement lists `{0}`, which is not in the archive")]
    NotInArchive(String),
    /// The archive has an entry that the statement does not list.
    #[error("entry `{0}` is not in the signed statement")]
    NotInStatement(String),
    /// An entry or the payload has another digest.
    #[error("`{name}` has sha256 `{actual}`, the signed statement has `{stated}`")]
    Digest {
        /// The path of the entry, or the name of the payload subject.
        name: String,
        stated: Sha256Digest,
        actual: Sha256Digest,
    },
    /// The subjects are in another order, or one is a duplicate.
    #[error("the signed statement lists `{0}` out of order")]
    Order(String),
    /// A field of the statement differs from the archive.
    #[error("{field} is `{stated}` in the signed statement and `{actual}` in the archive")]
    Field { field: &'static str, stated: String, actual: String },
}

impl StatementMismatch {
    /// Returns the first difference between the signed subjects and those of the archive.
    pub(super) fn between(stated: &[Subject], actual: &[Subject]) -> Option<Self> {
        if stated == actual {
            return None;
        }
        let find = |list: &[Subject], name: &str| list.iter().find(|subject| subject.name == name).cloned();
        for subject in actual {
            match find(stated, &subject.name) {
                None => return Some(Self::NotInStatement(subject.name.clone())),
                Some(other)
                    if other.digest != subject.digest && subject.name != crate::signing::PAYLOAD_SUBJECT =>
                {
                    let (stated, actual) = (other.digest.sha256, subject.digest.sha256);
                    return Some(Self::Digest { name: subject.name.clone(), stated, actual });
                }
                Some(_) => {}
            }
        }
        if let Some(extra) = stated.iter().find(|subject| find(actual, &subject.name).is_none()) {
            return Some(Self::NotInArchive(clip(&extra.name)));
        }
        let differing = stated.iter().zip(actual).find(|(stated, actual)| stated != actual);
        Some(match differing {
            Some((stated, actual)) if stated.name == actual.name => Self::Digest {
                name: actual.name.clone(),
                stated: stated.digest.sha256,
                actual: actual.digest.sha256,
            },
            Some((stated, _)) => Self::Order(clip(&stated.name)),
            None => Self::Order(stated.last().map(|subject| clip(&subject.name)).unwrap_or_default()),
        })
    }
}

impl VerifyRefusal {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        self.reason.hint()
    }

    /// Returns the stable error code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.reason.code()
    }
}

impl RefusalReason {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Archive(error) => error.hint(),
            Self::Manifest(error) => error.hint().unwrap_or_else(|| {
                "ask the publisher to correct \
                skill.toml"
                    .into()
            }),
            Self::ManifestNotUtf8 { .. } | Self::MissingModule { .. } => {
                "ask the publisher to correct the skill and rebuild it".into()
            }
            Self::Compat(refusal) => refusal.hint(),
            Self::Trust(refusal) => refusal.hint(),
            Self::Rollback(refusal) => refusal.hint(),
            Self::Sidecar(error) => error.hint(),
            Self::OwnThreshold { .. } => "ask the publisher to sign with enough of its keys".into(),
            Self::Envelope(_) | Self::Lineage(_) | Self::OuterKeyId { .. } | Self::Statement(_) => {
                "the file is not what its publisher signed: get it again, and report it to the publisher \
                if that does not help"
                    .into()
            }
        }
    }

    /// Returns the stable error code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Archive(ArchiveError::TooLarge { .. }) => ErrorCode::TooLarge,
            Self::Archive(_) => ErrorCode::ArchiveNotCanonical,
            Self::Envelope(error) => envelope_code(error),
            Self::Lineage(_) => ErrorCode::BadLineage,
            Self::OwnThreshold { .. } => ErrorCode::ThresholdNotMet,
            Self::OuterKeyId { .. } => ErrorCode::KeyIdDiffers,
            Self::Statement(_) => ErrorCode::StatementMismatch,
            Self::ManifestNotUtf8 { .. } | Self::Manifest(_) | Self::MissingModule { .. } => {
                ErrorCode::BadManifest
            }
            Self::Compat(_) => ErrorCode::Incompatible,
            Self::Trust(refusal) => refusal.code(),
            Self::Rollback(refusal) => refusal.code(),
            Self::Sidecar(_) => ErrorCode::SidecarNotBound,
        }
    }
}

fn envelope_code(error: &SignatureFileError) -> ErrorCode {
    match error {
        SignatureFileError::Envelope(EnvelopeError::BadSignature(_)) => ErrorCode::BadSignature,
        SignatureFileError::Envelope(EnvelopeError::SignsTwice(_)) => ErrorCode::ThresholdNotMet,
        SignatureFileError::Statement(StatementError::Key { .. }) => ErrorCode::BadKey,
        _ => ErrorCode::BadEnvelope,
    }
}

impl From<EnvelopeError> for RefusalReason {
    fn from(error: EnvelopeError) -> Self {
        Self::Envelope(error.into())
    }
}

impl From<StatementError> for RefusalReason {
    fn from(error: StatementError) -> Self {
        Self::Envelope(error.into())
    }
}

impl ClaimedIdentity {
    pub(super) fn of(predicate: &ReleasePredicate) -> Self {
        // Clipped, because these claims are unverified and displayed.
        Self {
            skill_id: clip(&predicate.skill_id),
            publisher: clip(&predicate.publisher),
            version: predicate.version.clone(),
        }
    }
}

fn show(id: &Option<KeyId>) -> String {
    id.map_or_else(|| "no key".into(), |id| format!("`{id}`"))
}

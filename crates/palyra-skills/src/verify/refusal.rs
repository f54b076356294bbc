//! Why verification refused: the step, the facts, and what a person can do.

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

/// An artifact that is refused.
#[derive(Debug, Clone, thiserror::Error)]
#[error("rejected at {step}: {reason}")]
pub struct VerifyRefusal {
    /// The step that refused.
    pub step: VerifyStepName,
    /// Reason.
    pub reason: RefusalReason,
    /// The steps before it.
    pub passed: Vec<VerifyStep>,
    /// What the artifact says it is, if it could be read; believe it only as far as `passed` goes.
    pub claims: Option<ClaimedIdentity>,
    /// A change the refusal itself calls for: a publisher whose keys forked is to be blocked.
    pub proposed: Option<TrustChange>,
}

/// What an artifact says it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimedIdentity {
    /// The skill.
    pub skill_id: String,
    /// Its publisher.
    pub publisher: String,
    /// Its version.
    pub version: Version,
}

/// Why an artifact is refused.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum RefusalReason {
    /// Not the canonical archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// `signature.json` cannot be relied on.
    #[error(transparent)]
    Envelope(#[from] SignatureFileError),
    /// A rotation statement in it does not hold.
    #[error("lineage: {0}")]
    Lineage(#[source] RotationError),
    /// Fewer keys signed than the statement itself asks for.
    #[error("{found} distinct keys signed, the threshold is {needed}")]
    OwnThreshold {
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// The key id beside the envelope is not the one that signed.
    #[error("`signature.json` lists key `{outer}`, the envelope is signed by {}", show(.proven))]
    OuterKeyId {
        /// The id beside the envelope.
        outer: KeyId,
        /// The id of the first key that signed.
        proven: Option<KeyId>,
    },
    /// The statement is about other bytes.
    #[error(transparent)]
    Statement(#[from] StatementMismatch),
    /// The manifest is not text.
    #[error("`skill.toml` is not UTF-8 at byte {offset}")]
    ManifestNotUtf8 {
        /// Where it stops being UTF-8.
        offset: usize,
    },
    /// The manifest.
    #[error(transparent)]
    Manifest(Box<ManifestError>),
    /// An entrypoint without its module.
    #[error("entrypoint `{entrypoint}` refers to `{module}`, which is not in the archive")]
    MissingModule { entrypoint: String, module: String },
    /// This Palyra does not fit.
    #[error(transparent)]
    Compat(CompatRefusal),
    /// The keys are not trusted.
    #[error(transparent)]
    Trust(TrustRefusal),
    /// Another owner, or a step back.
    #[error(transparent)]
    Rollback(RollbackRefusal),
    /// The sidecars are not about these modules.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
}

/// How a signed statement and an archive differ.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum StatementMismatch {
    /// The statement lists something the archive does not have.
    #[error("the signed statement lists `{0}`, which is not in the archive")]
    NotInArchive(String),
    /// The archive has something the statement does not list.
    #[error("entry `{0}` is not in the signed statement")]
    NotInStatement(String),
    /// Other bytes.
    #[error("`{name}` has sha256 `{actual}`, the signed statement has `{stated}`")]
    Digest {
        /// The entry, or the payload.
        name: String,
        stated: Sha256Digest,
        actual: Sha256Digest,
    },
    /// The same subjects in another order, or one of them twice.
    #[error("the signed statement lists `{0}` out of order")]
    Order(String),
    /// A field that says something else than the bytes do.
    #[error("{field} is `{stated}` in the signed statement and `{actual}` in the archive")]
    Field { field: &'static str, stated: String, actual: String },
}

impl StatementMismatch {
    /// The first difference between what was signed and what is there.
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
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        self.reason.hint()
    }

    /// A word for programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.reason.code()
    }
}

impl RefusalReason {
    /// What a person can do about it.
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

    /// A word for programs.
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
        // Bounded: nothing proves these yet, and they are shown to people.
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

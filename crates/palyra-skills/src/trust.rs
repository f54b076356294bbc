//! Trust: trusted and revoked keys, and the high-water mark of each skill.
//!
//! [`SkillTrustStore`] is plain data with pure operations: it reads no clock and no file. Its owner (the state root)
//! stores its [`TrustRow`]s. Verification uses a [`TrustSnapshot`] and proposes a [`TrustChange`]; no key is pinned
//! until that is applied.

mod change;
mod decision;
mod error;
mod feed;
mod judge;
mod lineage;
mod operator;
mod partial_rotation;
mod publisher;
mod revocation;
mod rollback;
mod rotation;
mod rows;
mod signed;
mod skill;
mod snapshot;
mod statement;
mod store;
mod succession;

pub use change::{PublisherChange, ReleaseMark, TrustChange};
pub use decision::{TrustDecision, TrustRefusal};
pub use error::TrustError;
pub use feed::{
    FeedError, FeedIssuer, FeedMark, FeedOutcome, FeedTrust, REVOCATIONS_PAYLOAD_TYPE, RevocationList,
    RevokedKey, RevokedRelease, SignedRevocations,
};
pub use lineage::LineageProblem;
pub use partial_rotation::PartialRotation;
pub use publisher::{EndedBy, KeyOrigin, PastKeys, PublisherAnchor, PublisherMode, PublisherTrust};
pub use revocation::{Revocation, RevocationScope, RevocationSource, RevocationTarget};
pub use rollback::RollbackRefusal;
pub use rotation::{
    ROTATION_PAYLOAD_TYPE, RotationError, RotationOutcome, RotationStatement, SignedRotation,
};
pub use rows::{TrustRow, TrustRowError};
pub use skill::{HighWaterMark, KnownRelease, SkillOwnership};
pub use snapshot::{BuiltInReleases, TrustSnapshot};
pub use statement::{TrustStatement, TrustStatementError};
pub use store::{BuilderKey, SkillTrustStore};
pub use succession::{Succession, TrustedKeys};

pub(crate) use judge::{Offer, VerifyMode, judge};
pub(crate) use lineage::check_lineage;
pub(crate) use rollback::check_rollback;

//! Ownership and rollback: a skill keeps its publisher, and its version and release counter only increase.

use palyra_common::ErrorCode;
use semver::Version;

use super::change::ReleaseMark;
use super::skill::SkillOwnership;
use crate::constants::MAX_COUNTER_STEP;
use crate::digest::Sha256Digest;

/// Why a release of a known skill is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum RollbackRefusal {
    /// The id is not in the publisher's namespace.
    #[error(
        "skill `{skill_id}` is not in the namespace of publisher `{publisher}`, whose skills start with `{publisher}.`"
    )]
    Namespace { skill_id: String, publisher: String },
    /// The skill belongs to another publisher.
    #[error("skill `{skill_id}` belongs to publisher `{owner}`, not to `{publisher}`")]
    OtherOwner { skill_id: String, owner: String, publisher: String },
    /// A newer version was accepted.
    #[error("version {found} of `{skill_id}` is older than {known}, which was accepted before")]
    Older { skill_id: String, found: Version, known: Version },
    /// A known version is offered with other bytes.
    #[error("version {version} of `{skill_id}` was accepted with payload `{known}`, this one has `{found}`")]
    Equivocation { skill_id: String, version: Version, known: Sha256Digest, found: Sha256Digest },
    /// The release counter did not increase.
    #[error("release counter {found} of `{skill_id}` is not above {known}")]
    CounterWentBack { skill_id: String, found: u64, known: u64 },
    /// The release counter increased by more than [`MAX_COUNTER_STEP`].
    #[error("release counter {found} of `{skill_id}` is more than {MAX_COUNTER_STEP} above {known}")]
    CounterJump { skill_id: String, found: u64, known: u64 },
}

impl RollbackRefusal {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Namespace { .. } | Self::OtherOwner { .. } => {
                "the publisher must use an id in its own namespace, `<publisher>.<name>`".into()
            }
            Self::Older { skill_id, .. } => format!(
                "to go back to a version that was active here, run `palyra skills rollback {skill_id}`; otherwise ask \
                 for a newer release"
            ),
            Self::Equivocation { .. } => {
                "a version has one content: ask the publisher for a new version".into()
            }
            Self::CounterWentBack { .. } | Self::CounterJump { .. } => {
                "ask the publisher to raise `release_counter` in skill.toml by one with each release".into()
            }
        }
    }

    /// Returns the stable error code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Namespace { .. } => ErrorCode::WrongNamespace,
            Self::OtherOwner { .. } => ErrorCode::OtherOwner,
            Self::Older { .. } => ErrorCode::Rollback,
            Self::Equivocation { .. } => ErrorCode::Equivocation,
            Self::CounterWentBack { .. } => ErrorCode::CounterWentBack,
            Self::CounterJump { .. } => ErrorCode::CounterJump,
        }
    }
}

/// Checks an offered release against the stored mark of its skill.
pub(crate) fn check_rollback(
    known: Option<&SkillOwnership>,
    publisher: &str,
    offered: &ReleaseMark,
) -> Result<(), RollbackRefusal> {
    check_owner(known, publisher, &offered.skill_id)?;
    let skill_id = || offered.skill_id.clone();
    let same = known.and_then(|known| known.releases.get(&offered.version));
    if let Some(same) = same.filter(|same| same.payload != offered.payload) {
        let (version, known, found) = (offered.version.clone(), same.payload, offered.payload);
        return Err(RollbackRefusal::Equivocation { skill_id: skill_id(), version, known, found });
    }
    let mark = known.and_then(SkillOwnership::high_water);
    if let Some(mark) = &mark {
        if offered.version.cmp_precedence(&mark.version).is_lt() {
            let (found, known) = (offered.version.clone(), mark.version.clone());
            return Err(RollbackRefusal::Older { skill_id: skill_id(), found, known });
        }
        if same.is_some() {
            return Ok(());
        }
        if offered.release_counter <= mark.release_counter {
            let (found, known) = (offered.release_counter, mark.release_counter);
            return Err(RollbackRefusal::CounterWentBack { skill_id: skill_id(), found, known });
        }
    }
    let floor = mark.map_or(0, |mark| mark.release_counter);
    if offered.release_counter.saturating_sub(floor) > MAX_COUNTER_STEP {
        let found = offered.release_counter;
        return Err(RollbackRefusal::CounterJump { skill_id: skill_id(), found, known: floor });
    }
    Ok(())
}

fn check_owner(
    known: Option<&SkillOwnership>,
    publisher: &str,
    skill_id: &str,
) -> Result<(), RollbackRefusal> {
    let name = skill_id.strip_prefix(publisher).and_then(|rest| rest.strip_prefix('.'));
    if name.is_none_or(str::is_empty) {
        return Err(RollbackRefusal::Namespace { skill_id: skill_id.into(), publisher: publisher.into() });
    }
    match known.filter(|known| known.owner != publisher) {
        Some(known) => Err(RollbackRefusal::OtherOwner {
            skill_id: skill_id.into(),
            owner: known.owner.clone(),
            publisher: publisher.into(),
        }),
        None => Ok(()),
    }
}

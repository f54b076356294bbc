//! What an approval is.

use palyra_common::InformationLabels;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{LONG_YES_LIFETIME_MS, YES_LIFETIME_MS};
use crate::principal_id::PrincipalId;

/// One approval request and its decision.
///
/// Fields with a default are missing in rows of 945e3d1. Such an approval lapses: it does not say what it was bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Its id.
    pub approval_id: String,
    /// Result.
    pub status: ApprovalStatus,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release that the approval covers.
    pub payload: Sha256Digest,
    /// Principal of the call: a token, the owner, or `routine:NAME`.
    pub principal: String,
    /// Who counts as having asked, and cannot decide: the principal itself, or the creator of the routine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<PrincipalId>,
    /// The session of the call.
    pub session: Option<String>,
    /// The parent run of the call.
    pub parent_run: Option<String>,
    /// SHA-256 over everything a yes to exact arguments is for.
    pub binding: Sha256Digest,
    /// SHA-256 over what the call runs under: consent, policies, gates, profile, settings and grants of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Sha256Digest>,
    /// The canonical arguments, or as much of their beginning as is shown in lists.
    pub arguments: String,
    /// The length of the whole canonical arguments in bytes.
    #[serde(default)]
    pub arguments_bytes: u64,
    /// The SHA-256 of the whole canonical arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_sha256: Option<Sha256Digest>,
    /// Directories and address ranges that an operator adds to this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Time at which it was asked for, in Unix milliseconds.
    pub requested_ms: u64,
    /// Time until which it can be decided or, once approved, used.
    pub expires_ms: u64,
    /// Scope of an approval.
    pub scope: Option<ApprovalScope>,
    /// Principal that decided.
    pub decided_by: Option<String>,
    /// Time.
    pub decided_ms: Option<u64>,
    /// Reason of the decision.
    pub reason: Option<String>,
    /// The policy rule or gate that required it and its reason, if it was not the tool's manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_because: Option<String>,
    /// What the session of the call had read when approval was requested.
    #[serde(default, skip_serializing_if = "InformationLabels::is_empty")]
    pub labels: InformationLabels,
    /// Number of calls that used it.
    pub uses: u64,
}

/// Status of an approval request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Not decided yet.
    Pending,
    /// Yes.
    Approved,
    /// Yes, and it was used up.
    Used,
    /// No.
    Denied,
    /// Time ran out, which is a no; a yes that was not used in time ends like this too.
    Expired,
}

/// Scope of an approval, always limited to its release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This one call.
    Once,
    /// The tool, for the larger run this call is a step of.
    Run,
    /// These exact arguments, as often as they come.
    Arguments,
    /// The tool, for this session.
    Session,
}

impl ApprovalStatus {
    /// The word in rows and queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Used => "used",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }
}

impl ApprovalScope {
    /// How long a yes of this scope can be used.
    pub(super) const fn lifetime_ms(self) -> u64 {
        match self {
            Self::Once | Self::Arguments => YES_LIFETIME_MS,
            Self::Run | Self::Session => LONG_YES_LIFETIME_MS,
        }
    }
}

impl Approval {
    /// How many bytes of the canonical arguments are not in `arguments`.
    pub fn arguments_omitted(&self) -> u64 {
        self.arguments_bytes.saturating_sub(self.arguments.len() as u64)
    }

    /// Whether it is open and its time has run out, or it was written before approvals said what they are bound to.
    pub(super) fn is_overdue(&self, now_ms: u64) -> bool {
        let open = matches!(self.status, ApprovalStatus::Pending | ApprovalStatus::Approved);
        open && (now_ms >= self.expires_ms || self.requester.is_none())
    }

    /// Whether it lets a call of this kind through now.
    pub(super) fn covers(&self, request: &super::ApprovalRequest, now_ms: u64) -> bool {
        let of_call = self.payload == request.payload
            && self.tool_id == request.tool_id
            && self.principal == request.principal
            && self.requester.as_ref() == Some(&request.requester)
            && self.circumstances == Some(request.circumstances);
        let same = |mine: &Option<String>, other: &Option<String>| mine.is_some() && mine == other;
        let reaches = match self.scope {
            Some(ApprovalScope::Once | ApprovalScope::Arguments) => self.binding == request.binding(),
            Some(ApprovalScope::Run) => same(&self.parent_run, &request.parent_run),
            Some(ApprovalScope::Session) => same(&self.session, &request.session),
            None => false,
        };
        self.status == ApprovalStatus::Approved && now_ms < self.expires_ms && of_call && reaches
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// A row as 945e3d1 wrote it.
    const OLD: &str = r#"{"approval_id":"apr_01a1ecb432ce3494e2ee223a53df8b51","status":"approved",
        "skill_id":"acme.alerts","tool_id":"acme.alerts.send",
        "payload":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae","principal":"owner","session":null,
        "parent_run":null,"binding":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        "arguments":"{\"n\":3}","requested_ms":1000,"expires_ms":9000,"scope":"arguments","decided_by":"owner",
        "decided_ms":1500,"reason":null,"uses":0}"#;

    #[test]
    fn approval_of_945e3d1_opens_and_lapses() {
        let old: Approval = serde_json::from_str(OLD).unwrap();
        assert!(old.is_overdue(2_000), "although its hour is not over");
        let now = Approval { requester: Some(PrincipalId::default()), ..old.clone() };
        assert!(!now.is_overdue(2_000) && now.is_overdue(9_000));
        assert!(!Approval { status: ApprovalStatus::Used, ..old }.is_overdue(9_000));
    }
}

//! The approval record: request, decision, and the calls it covers.

pub use palyra_common::model::approvals::{ApprovalScope, ApprovalStatus};

use palyra_common::InformationLabels;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{LONG_YES_LIFETIME_MS, YES_LIFETIME_MS};
use crate::principal_id::PrincipalId;

/// One approval request and its decision.
///
/// Fields with a default are missing in rows of 945e3d1. Such an approval expires at once, because it lacks
/// the digest of the circumstances it was given under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// `apr_` and a time-sorted random part.
    pub approval_id: String,
    /// Pending, decided or expired; the row and its leaf change together.
    pub status: ApprovalStatus,
    /// Skill that owns the tool.
    pub skill_id: String,
    /// Full id of the tool, prefixed with its skill.
    pub tool_id: String,
    /// The release that the approval covers.
    pub payload: Sha256Digest,
    /// Principal of the call: a token, the owner, or `routine:NAME`.
    pub principal: String,
    /// Requesting principal, which cannot decide: the principal of the call, or the creator of the routine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<PrincipalId>,
    /// Session of the call; an approval with the scope `Session` covers only this session.
    pub session: Option<String>,
    /// Parent run of the call; an approval with the scope `Run` covers only steps of this run.
    pub parent_run: Option<String>,
    /// SHA-256 over release, tool, principal, requester, circumstances and arguments.
    pub binding: Sha256Digest,
    /// SHA-256 over consent, policies, gates, profile, settings and grants in effect for the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Sha256Digest>,
    /// The canonical arguments, or their first [`MAX_SHOWN_ARGUMENTS`](super::MAX_SHOWN_ARGUMENTS) bytes.
    pub arguments: String,
    /// The length of the whole canonical arguments in bytes.
    #[serde(default)]
    pub arguments_bytes: u64,
    /// The SHA-256 of the whole canonical arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_sha256: Option<Sha256Digest>,
    /// Directories and address ranges that an operator adds to this call, escaped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Time of the request in Unix milliseconds.
    pub requested_ms: u64,
    /// Time until which the request can be decided or, once approved, used, in Unix milliseconds.
    pub expires_ms: u64,
    /// Scope of the approval; `None` until it is approved.
    pub scope: Option<ApprovalScope>,
    /// Name of the deciding principal; `None` while pending, and for a request that expired undecided.
    pub decided_by: Option<String>,
    /// Time of the decision or expiry, in Unix milliseconds.
    pub decided_ms: Option<u64>,
    /// Reason given by the decider, escaped.
    pub reason: Option<String>,
    /// The policy rule or gate that required it and its reason, if it was not the tool's manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_because: Option<String>,
    /// Labels of the data the session of the call had read when approval was requested.
    #[serde(default, skip_serializing_if = "InformationLabels::is_empty")]
    pub labels: InformationLabels,
    /// Number of calls that used the approval.
    pub uses: u64,
}

/// Returns how long an approval of this scope can be used, in milliseconds.
pub(super) const fn lifetime_ms(scope: ApprovalScope) -> u64 {
    match scope {
        ApprovalScope::Once | ApprovalScope::Arguments => YES_LIFETIME_MS,
        ApprovalScope::Run | ApprovalScope::Session => LONG_YES_LIFETIME_MS,
    }
}

impl Approval {
    /// Returns the number of bytes of the canonical arguments that are not in `arguments`.
    pub fn arguments_omitted(&self) -> u64 {
        self.arguments_bytes.saturating_sub(self.arguments.len() as u64)
    }

    /// Returns whether the approval is open and has expired, or is from a version that did not record the
    /// circumstances.
    pub(super) fn is_overdue(&self, now_ms: u64) -> bool {
        let open = matches!(self.status, ApprovalStatus::Pending | ApprovalStatus::Approved);
        open && (now_ms >= self.expires_ms || self.requester.is_none())
    }

    /// Returns whether the approval permits this call now.
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

//! What an approval is.

use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{LONG_YES_LIFETIME_MS, YES_LIFETIME_MS};

/// One request and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Its id.
    pub approval_id: String,
    /// What became of it.
    pub status: ApprovalStatus,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release; another one needs another approval.
    pub payload: Sha256Digest,
    /// Who wants to call.
    pub principal: String,
    /// The session of the call.
    pub session: Option<String>,
    /// The larger run the call is a step of.
    pub parent_run: Option<String>,
    /// SHA-256 over canonical arguments, tool, release and principal.
    pub binding: Sha256Digest,
    /// The canonical arguments, shortened for people.
    pub arguments: String,
    /// When it was asked for, in milliseconds of Unix time.
    pub requested_ms: u64,
    /// Until when it can be decided, or used once it is approved.
    pub expires_ms: u64,
    /// How far a yes reaches.
    pub scope: Option<ApprovalScope>,
    /// Who decided.
    pub decided_by: Option<String>,
    /// When.
    pub decided_ms: Option<u64>,
    /// What the one who decided had to say.
    pub reason: Option<String>,
    /// Which gate asked for it and why, where it was not the tool's own risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_because: Option<String>,
    /// How often a call used it.
    pub uses: u64,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Nobody decided yet.
    Pending,
    /// Yes.
    Approved,
    /// Yes, and it was used up.
    Used,
    /// No.
    Denied,
    /// Time ran out, which is a no.
    Expired,
}

/// How far a yes reaches; never past the release it was given for.
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
    /// Whether the time to decide has run out.
    pub(super) fn is_overdue(&self, now_ms: u64) -> bool {
        self.status == ApprovalStatus::Pending && now_ms >= self.expires_ms
    }

    /// Whether it lets a call of this kind through now.
    pub(super) fn covers(&self, request: &super::ApprovalRequest, now_ms: u64) -> bool {
        let of_call = self.payload == request.payload
            && self.tool_id == request.tool_id
            && self.principal == request.principal;
        let same = |mine: &Option<String>, other: &Option<String>| mine.is_some() && mine == other;
        let reaches = match self.scope {
            Some(ApprovalScope::Once | ApprovalScope::Arguments) => self.binding == request.binding,
            Some(ApprovalScope::Run) => same(&self.parent_run, &request.parent_run),
            Some(ApprovalScope::Session) => same(&self.session, &request.session),
            None => false,
        };
        self.status == ApprovalStatus::Approved && now_ms < self.expires_ms && of_call && reaches
    }
}

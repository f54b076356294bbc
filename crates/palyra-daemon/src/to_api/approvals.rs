//! Approvals.

use palyra_api::approvals as api;
use palyra_state::{Approval, ApprovalPage};

use super::ToApi;

convert_fields! {
    ApprovalPage => api::ApprovalList { approvals, next }
}

impl ToApi for Approval {
    type Api = api::Approval;

    fn to_api(&self) -> api::Approval {
        let Self {
            approval_id,
            status,
            skill_id,
            tool_id,
            payload,
            principal,
            requester,
            session,
            parent_run,
            binding,
            circumstances: _,
            arguments,
            arguments_bytes,
            arguments_sha256,
            grants,
            requested_ms,
            expires_ms,
            scope,
            decided_by,
            decided_ms,
            reason,
            asked_because,
            labels,
            uses,
        } = self;
        api::Approval {
            approval_id: approval_id.clone(),
            status: *status,
            skill_id: skill_id.clone(),
            tool_id: tool_id.clone(),
            payload: payload.to_api(),
            principal: principal.clone(),
            requested_by: requester.as_ref().map_or(principal, |requester| &requester.name).clone(),
            session: session.clone(),
            parent_run: parent_run.clone(),
            binding: binding.to_api(),
            arguments: arguments.clone(),
            arguments_bytes: *arguments_bytes,
            arguments_omitted: self.arguments_omitted(),
            arguments_sha256: arguments_sha256.to_api(),
            grants: grants.clone(),
            requested_ms: *requested_ms,
            expires_ms: *expires_ms,
            scope: *scope,
            decided_by: decided_by.clone(),
            decided_ms: *decided_ms,
            reason: reason.clone(),
            asked_because: asked_because.clone(),
            labels: *labels,
            uses: *uses,
        }
    }
}

//! Calls about approvals.

use http::Method;

use super::query::Pairs;
use super::{Client, ClientError, Transport, segment};
use crate::approvals::{Approval, ApprovalList, ApprovalQuery, ApproveRequest, DenyRequest};

impl<T: Transport> Client<T> {
    /// Returns one page of approvals, newest first.
    pub async fn approvals(&self, query: &ApprovalQuery) -> Result<ApprovalList, ClientError> {
        let pairs = Pairs::default()
            .with("status", query.status.map(|status| status.wire_name()))
            .with("before", query.before.as_deref())
            .with("limit", query.limit);
        self.get(&pairs.after("/v1/approvals")).await
    }

    /// Returns one approval.
    pub async fn approval(&self, approval_id: &str) -> Result<Approval, ClientError> {
        self.get(&format!("/v1/approvals/{}", segment(approval_id))).await
    }

    /// Returns one approval with a piece of its arguments, starting at a byte offset.
    pub async fn approval_arguments(&self, approval_id: &str, from: u64) -> Result<Approval, ClientError> {
        let pairs = Pairs::default().with("arguments_from", Some(from));
        self.get(&pairs.after(&format!("/v1/approvals/{}", segment(approval_id)))).await
    }

    /// Returns one approval with its whole arguments, joined from their pieces, as far as they are still stored.
    pub async fn whole_approval(&self, approval_id: &str) -> Result<Approval, ClientError> {
        let mut whole = self.approval_arguments(approval_id, 0).await?;
        while (whole.arguments.len() as u64) < whole.arguments_bytes {
            let next = self.approval_arguments(approval_id, whole.arguments.len() as u64).await?;
            if next.arguments.is_empty() {
                break;
            }
            whole.arguments.push_str(&next.arguments);
        }
        whole.arguments_omitted = whole.arguments_bytes.saturating_sub(whole.arguments.len() as u64);
        Ok(whole)
    }

    /// Approves a request.
    pub async fn approve(
        &self,
        approval_id: &str,
        request: &ApproveRequest,
    ) -> Result<Approval, ClientError> {
        let path = format!("/v1/approvals/{}/approve", segment(approval_id));
        self.send(Method::POST, &path, request).await
    }

    /// Denies a request.
    pub async fn deny(&self, approval_id: &str, request: &DenyRequest) -> Result<Approval, ClientError> {
        self.send(Method::POST, &format!("/v1/approvals/{}/deny", segment(approval_id)), request).await
    }

    /// Returns the information shown to a person before deciding an approval.
    pub async fn approval_context(
        &self,
        approval_id: &str,
    ) -> Result<crate::approvals::ApprovalContext, ClientError> {
        self.get(&format!("/v1/approvals/{}/context", segment(approval_id))).await
    }
}

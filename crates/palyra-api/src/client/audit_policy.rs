//! Calls about the audit policy.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::audit_policy::{
    AdvisoriesKept, AdvisoryList, AuditPolicyChange, AuditPolicyChanged, AuditPolicyShown,
};

const PATH: &str = "/v1/audit-policy";

impl<T: Transport> Client<T> {
    /// Returns the audit policy in effect.
    pub async fn audit_policy(&self) -> Result<AuditPolicyShown, ClientError> {
        self.get(PATH).await
    }

    /// Sets the audit policy; every installed skill is audited again.
    pub async fn set_audit_policy(
        &self,
        change: &AuditPolicyChange,
    ) -> Result<AuditPolicyChanged, ClientError> {
        self.send(Method::PUT, PATH, change).await
    }

    /// Resets the audit policy to the default; every installed skill is audited again.
    pub async fn reset_audit_policy(&self) -> Result<AuditPolicyChanged, ClientError> {
        self.delete(PATH).await
    }

    /// Stores a list of known-vulnerable dependencies; every installed skill is audited with it.
    pub async fn keep_advisories(&self, list: &AdvisoryList) -> Result<AdvisoriesKept, ClientError> {
        self.send(Method::PUT, "/v1/audit-policy/advisories", list).await
    }
}

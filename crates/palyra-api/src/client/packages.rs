//! Calls about packages that are not installed; nothing is stored or pinned.

use super::query::Pairs;
use super::skills::with_query;
use super::{ApiBody, Client, ClientError, Transport, package_request};
use crate::packages::{PackageQuery, PackageVerified};
use crate::skills::{InstallOutcome, InstallQuery, SkillAudits};

impl<T: Transport> Client<T> {
    /// Verifies all bytes and signatures of a package, and the trust in its publisher.
    pub async fn verify_package(
        &self,
        package: ApiBody,
        query: PackageQuery,
    ) -> Result<PackageVerified, ClientError> {
        let query = Pairs::default().with("allow_tofu", query.allow_tofu.then_some(true));
        let path = query.after("/v1/packages/verify");
        self.answer(package_request(&path, package)).await
    }

    /// Audits a package.
    pub async fn audit_package(&self, package: ApiBody) -> Result<SkillAudits, ClientError> {
        self.answer(package_request("/v1/packages/audit", package)).await
    }

    /// Returns the outcome that installing a package would have.
    pub async fn plan_package(
        &self,
        package: ApiBody,
        query: &InstallQuery,
    ) -> Result<InstallOutcome, ClientError> {
        self.answer(package_request(&with_query("/v1/packages/plan", query), package)).await
    }
}

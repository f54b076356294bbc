//! Calls about installed skills.

use http::Method;

use super::query::Pairs;
use super::{ApiBody, Client, ClientError, Transport, package_request, segment};
use crate::skills::{
    ConsentAsked, ConsentBody, DisableBody, EnableBody, InstallOutcome, InstallQuery, QuarantineBody,
    RemoveQuery, RemovedSkill, RollbackBody, SkillAudits, SkillChanged, SkillInfo, SkillList, SkillPrepared,
    SkillVerified,
};

impl<T: Transport> Client<T> {
    /// Returns every installed skill, requesting all pages.
    pub async fn skills(&self) -> Result<SkillList, ClientError> {
        let mut list: SkillList = self.get("/v1/skills?limit=500").await?;
        while let Some(after) = list.next.take() {
            let page: SkillList =
                self.get(&format!("/v1/skills?limit=500&after={}", segment(&after))).await?;
            list.skills.extend(page.skills);
            list.next = page.next;
        }
        Ok(list)
    }

    /// Returns the report about one skill.
    pub async fn skill(&self, skill_id: &str) -> Result<SkillInfo, ClientError> {
        self.get(&of_skill(skill_id, "")).await
    }

    /// Installs a package, or updates its skill.
    pub async fn install(
        &self,
        package: ApiBody,
        query: &InstallQuery,
    ) -> Result<InstallOutcome, ClientError> {
        self.answer(package_request(&with_query("/v1/skills", query), package)).await
    }

    /// Compiles the modules of a skill and compares their descriptions with its manifest.
    pub async fn prepare_skill(&self, skill_id: &str) -> Result<SkillPrepared, ClientError> {
        self.post(&of_skill(skill_id, "/prepare")).await
    }

    /// Reads, hashes and verifies the stored bytes of a skill.
    pub async fn verify_skill(&self, skill_id: &str) -> Result<SkillVerified, ClientError> {
        self.post(&of_skill(skill_id, "/verify")).await
    }

    /// Audits a skill again; the result takes effect.
    pub async fn audit_skill(&self, skill_id: &str) -> Result<SkillAudits, ClientError> {
        self.post(&of_skill(skill_id, "/audit")).await
    }

    /// Audits every installed skill again.
    pub async fn audit_skills(&self) -> Result<SkillAudits, ClientError> {
        self.post("/v1/skills/audit").await
    }

    /// Quarantines a skill until it is enabled.
    pub async fn quarantine_skill(
        &self,
        skill_id: &str,
        body: &QuarantineBody,
    ) -> Result<SkillChanged, ClientError> {
        self.send(Method::POST, &of_skill(skill_id, "/quarantine"), body).await
    }

    /// Disables a skill.
    pub async fn disable_skill(
        &self,
        skill_id: &str,
        body: &DisableBody,
    ) -> Result<SkillChanged, ClientError> {
        self.send(Method::POST, &of_skill(skill_id, "/disable"), body).await
    }

    /// Enables a skill that is quarantined or disabled.
    pub async fn enable_skill(
        &self,
        skill_id: &str,
        body: &EnableBody,
    ) -> Result<InstallOutcome, ClientError> {
        self.send(Method::POST, &of_skill(skill_id, "/enable"), body).await
    }

    /// Returns the permissions that need consent, and the digest that consents to them.
    pub async fn consent_asked(&self, skill_id: &str) -> Result<ConsentAsked, ClientError> {
        self.get(&of_skill(skill_id, "/consent")).await
    }

    /// Sends the consent of a person.
    pub async fn consent_to_skill(
        &self,
        skill_id: &str,
        body: &ConsentBody,
    ) -> Result<InstallOutcome, ClientError> {
        self.send(Method::POST, &of_skill(skill_id, "/consent"), body).await
    }

    /// Rolls a skill back to an earlier release.
    pub async fn roll_back_skill(
        &self,
        skill_id: &str,
        body: &RollbackBody,
    ) -> Result<InstallOutcome, ClientError> {
        self.send(Method::POST, &of_skill(skill_id, "/rollback"), body).await
    }

    /// Removes a skill.
    pub async fn remove_skill(
        &self,
        skill_id: &str,
        query: RemoveQuery,
    ) -> Result<RemovedSkill, ClientError> {
        let query = Pairs::default().with("keep_data", query.keep_data.then_some(true));
        self.delete(&query.after(&of_skill(skill_id, ""))).await
    }

    /// Returns modules and dependencies of a skill.
    pub async fn components(&self, skill_id: &str) -> Result<crate::skills::SkillComponents, ClientError> {
        self.get(&format!("/v1/skills/{}/components", segment(skill_id))).await
    }
}

fn of_skill(skill_id: &str, what: &str) -> String {
    format!("/v1/skills/{}{what}", segment(skill_id))
}

/// Appends the query with the permissions of an installation.
pub(super) fn with_query(path: &str, query: &InstallQuery) -> String {
    let InstallQuery { allow_tofu, consent, secrets, accept, update } = query;
    Pairs::default()
        .with("allow_tofu", allow_tofu.then_some(true))
        .with("consent", consent.as_ref())
        .with("secrets", secrets.as_ref())
        .with("accept", accept.as_ref())
        .with("update", update.then_some(true))
        .after(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consent_is_sent_in_the_query() {
        assert_eq!(with_query("/v1/skills", &InstallQuery::default()), "/v1/skills");
        let query = InstallQuery {
            allow_tofu: true,
            secrets: Some("global/token,skill/a".into()),
            update: true,
            ..InstallQuery::default()
        };
        assert_eq!(
            with_query("/p", &query),
            "/p?allow_tofu=true&secrets=global%2Ftoken%2Cskill%2Fa&update=true"
        );
        assert!(query.widens() && !InstallQuery { update: true, ..InstallQuery::default() }.widens());
    }
}

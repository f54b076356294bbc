//! Verifies and audits a package without installing it.

use std::sync::Arc;

use palyra_api::Problem;
use palyra_api::packages::PackageVerified;
use palyra_api::skills::{SkillAudit, SkillAudits};
use palyra_skills::audit::{AuditPolicy, InstalledTools, audit_skill_artifact_security};
use palyra_skills::{Platform, SkillTrustStore, TrustSnapshot, Verification, verify_skill_artifact};
use palyra_state::{State, StateOptions};

use crate::problem::ToProblem;
use crate::to_api::ToApi;

/// The trust and policy that a package is judged by: those of a state, or none.
pub struct Background {
    trust: TrustSnapshot,
    platform: Platform,
    policy: AuditPolicy,
    tools: InstalledTools,
}

impl Background {
    /// Returns the current background of a state.
    pub fn of(state: &State) -> Self {
        let view = state.view();
        Self {
            trust: state.trust().snapshot(Arc::clone(view.trust())),
            platform: state.platform().clone(),
            policy: view.audit_policy().clone(),
            tools: view.index().installed_tools(),
        }
    }

    /// Returns the background of a machine without trusted publishers.
    pub fn nothing() -> Self {
        Self {
            trust: TrustSnapshot::new(SkillTrustStore::default()),
            platform: StateOptions::default().platform,
            policy: AuditPolicy::default(),
            tools: InstalledTools::none(),
        }
    }

    /// Verifies all bytes and signatures; `tofu` permits an unknown publisher.
    pub fn check(&self, bytes: Arc<[u8]>, tofu: bool) -> Result<Verification, Problem> {
        let trust = self.trust.clone().with_tofu(tofu);
        verify_skill_artifact(bytes, &trust, &self.platform).map_err(|refusal| refusal.to_problem())
    }

    /// Verifies a package and determines the trust in its publisher.
    pub fn verify(&self, bytes: Arc<[u8]>, tofu: bool) -> Result<PackageVerified, Problem> {
        let verification = self.check(bytes, tofu)?;
        let (skill, manifest) = (&verification.skill, verification.skill.manifest());
        Ok(PackageVerified {
            skill_id: manifest.skill_id.clone(),
            version: manifest.version.to_string(),
            publisher: manifest.publisher.clone(),
            payload: skill.payload().to_string(),
            sha256: skill.artifact().archive_digest().to_string(),
            signers: skill.signers().iter().map(|key| key.key_id().to_string()).collect(),
            trust: verification.trust.to_api(),
            steps: verification.steps.to_api(),
        })
    }

    /// Audits a package, regardless of the trust in its publisher.
    pub fn audit(&self, bytes: Arc<[u8]>) -> Result<SkillAudits, Problem> {
        let skill = self.check(bytes, true)?.skill;
        let report = audit_skill_artifact_security(&skill, &self.policy, &self.tools);
        let audit = SkillAudit {
            skill_id: skill.manifest().skill_id.clone(),
            version: Some(skill.manifest().version.to_string()),
            payload: skill.payload().to_string(),
            runtime_status: None,
            report: Some(report.to_api()),
            problem: None,
            kept_for_rollback: false,
        };
        Ok(SkillAudits { audits: vec![audit] })
    }
}

//! Problems of skills that cannot be installed, or whose stored release is damaged.

use palyra_api::Problem;
use palyra_skills::VerifyRefusal;
use palyra_skills::install::{InstallRefusal, InstallRefusalReason};
use palyra_state::SkillError;
use serde_json::json;

use super::ToProblem;
use super::chain::sentence;

impl ToProblem for SkillError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Refused(refusal) => refusal.to_problem(),
            Self::Denied { skill_id, version, decision } => {
                let mut problem = decision.to_problem();
                problem.details["skill_id"] = skill_id.as_str().into();
                problem.details["version"] = version.as_str().into();
                problem
            }
            error => Problem::new(error.code(), sentence(error)).hints(error.hint()),
        }
    }
}

impl ToProblem for InstallRefusal {
    fn to_problem(&self) -> Problem {
        if let InstallRefusalReason::Verify(refusal) = &self.reason {
            return refusal.to_problem();
        }
        let mut details =
            json!({ "skill_id": self.skill_id, "version": self.version, "payload": self.payload });
        if let InstallRefusalReason::Audit(report) = &self.reason {
            details["audit"] = json!(report);
        }
        Problem::new(self.code(), sentence(self)).hint(self.hint()).details(details)
    }
}

impl ToProblem for VerifyRefusal {
    fn to_problem(&self) -> Problem {
        let details = json!({ "step": self.step, "passed": self.passed, "claims": self.claims });
        Problem::new(self.code(), sentence(self)).hint(self.hint()).details(details)
    }
}

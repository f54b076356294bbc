//! Skills that are not packaged, not taken in, or not as they were.

use super::chain::sentence;
use super::refusals::REFUSED;
use super::state::{DAMAGED, NOT_FOUND};
use palyra_skills::BuildError;
use palyra_skills::audit::{Effect, Finding};
use palyra_skills::install::{InstallRefusal, InstallRefusalReason};
use palyra_state::SkillError;
use serde_json::{Value, json};

/// The audit says that it must not run.
const QUARANTINE: u8 = 6;
const FAILED: u8 = 1;

/// Why a skill was not packaged, or its state not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SkillRefusal {
    /// It cannot be packaged.
    #[error(transparent)]
    Build(#[from] Box<BuildError>),
    /// It is not taken in.
    #[error(transparent)]
    Install(#[from] Box<InstallRefusal>),
    /// Something else kept it from being changed.
    #[error(transparent)]
    State(Box<SkillError>),
}

pub(super) fn message(refusal: &SkillRefusal) -> String {
    sentence(refusal)
}

impl SkillRefusal {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Build(error) => match **error {
                BuildError::Manifest(_) => "bad_manifest",
                _ => "build_refused",
            },
            Self::Install(refusal) => refusal.code(),
            Self::State(error) => error.code(),
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Build(_) => FAILED,
            Self::Install(refusal) => match refusal.reason {
                InstallRefusalReason::Audit(_) => QUARANTINE,
                InstallRefusalReason::NotInstalled { .. } => NOT_FOUND,
                _ => REFUSED,
            },
            Self::State(error) => match **error {
                SkillError::NotInstalled { .. } | SkillError::NoEarlierRelease { .. } => NOT_FOUND,
                SkillError::Damaged { .. } => DAMAGED,
                _ => FAILED,
            },
        }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        match self {
            Self::Build(error) => vec![error.hint()],
            Self::Install(refusal) => vec![refusal.hint()],
            Self::State(error) => error.hint().into_iter().collect(),
        }
    }

    pub(super) fn details(&self) -> Value {
        match self {
            Self::Build(error) => match &**error {
                BuildError::Manifest(error) => {
                    json!({ "path": error.path(), "line": error.line(), "column": error.column(), "expected": error.expected() })
                }
                _ => json!({}),
            },
            Self::Install(refusal) => {
                let mut details = json!({ "skill_id": refusal.skill_id, "version": refusal.version, "payload": refusal.payload });
                if let InstallRefusalReason::Audit(report) = &refusal.reason {
                    details["audit"] = json!(report);
                }
                details
            }
            Self::State(_) => json!({}),
        }
    }

    pub(super) fn notes(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Build(error) => match &**error {
                BuildError::Manifest(error) => manifest_notes(error),
                _ => Vec::new(),
            },
            Self::Install(refusal) => match &refusal.reason {
                InstallRefusalReason::Audit(report) => {
                    let refuses = |finding: &&Finding| finding.effect == Effect::Refuse;
                    let told = |finding: &Finding| {
                        let place = format!("{} in {}: {}", finding.id, finding.subject, finding.message);
                        [("finding", place), ("remedy", finding.remedy.clone())]
                    };
                    report.findings.iter().filter(refuses).flat_map(told).collect()
                }
                _ => Vec::new(),
            },
            Self::State(_) => Vec::new(),
        }
    }
}

/// The line with the problem, as the reader of the manifest draws it.
pub(super) fn manifest_notes(error: &palyra_skills::ManifestError) -> Vec<(&'static str, String)> {
    let rendered = error.render();
    let line = rendered
        .lines()
        .nth(2)
        .and_then(|line| line.split_once(" | "))
        .map(|(_, text)| text.trim().to_owned());
    let line = line.filter(|line| !line.is_empty()).map(|line| ("line", line));
    line.into_iter().chain([("expected", error.expected())]).collect()
}

//! Skills that are not packaged, not taken in, or not as they were.

use palyra_api::Problem;
use palyra_daemon::ToProblem;
use palyra_daemon::problem::sentence;
use palyra_skills::BuildError;
use palyra_skills::install::InstallRefusal;
use palyra_state::SkillError;
use serde_json::{Value, json};

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
    /// What the daemon would say of it; none for what only this command line does.
    fn problem(&self) -> Option<Problem> {
        match self {
            Self::Build(_) => None,
            Self::Install(refusal) => Some(refusal.to_problem()),
            Self::State(error) => Some(error.to_problem()),
        }
    }

    pub(super) fn code(&self) -> String {
        match self {
            Self::Build(error) if matches!(**error, BuildError::Manifest(_)) => "bad_manifest".into(),
            _ => self.problem().map_or_else(|| "build_refused".into(), |problem| problem.code),
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        self.problem().map_or(FAILED, |problem| problem.exit_code())
    }

    pub(super) fn hints(&self) -> Vec<String> {
        match self {
            Self::Build(error) => vec![error.hint()],
            _ => self.problem().map(|problem| problem.hints).unwrap_or_default(),
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
            _ => self.problem().map_or_else(|| json!({}), |problem| problem.details),
        }
    }

    pub(super) fn notes(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Build(error) => match &**error {
                BuildError::Manifest(error) => manifest_notes(error),
                _ => Vec::new(),
            },
            _ => self.problem().map(|problem| super::problem::notes(&problem)).unwrap_or_default(),
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
